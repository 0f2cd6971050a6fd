import static org.msgpack.value.ValueFactory.newArray;
import static org.msgpack.value.ValueFactory.newBinary;
import static org.msgpack.value.ValueFactory.newInteger;
import static org.msgpack.value.ValueFactory.newNil;
import static org.msgpack.value.ValueFactory.newString;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.value.Value;

/** A sample bot: it plays any of the legal turns. See README.md and docs/protocol.md. */
public final class Bot {
  /** Of this build: in a venue another one makes a new version of the bot. */
  private static final String FINGERPRINT = "1";

  private static final int LONGEST_FRAME = 262_144; // bytes; the arena sends no more in one frame
  private static final long FIRST_PAUSE_MS = 100;
  private static final long LONGEST_PAUSE_MS = 2000;

  /** After these the arena may let the bot in later: it has not noticed the loss, or is full. */
  private static final Set<String> PASSING = Set.of("already_connected", "too_many_connections");

  /** An end of the connection after which there is no use in coming back. */
  private static final class Refused extends Exception {
    Refused(String sentence) {
      super(sentence);
    }
  }

  /**
   * My part in the dice of a match: random bytes, revealed when both bots have committed to theirs.
   * It stays the same until the next attempt, even if the connection is lost meanwhile.
   */
  private record Share(int attempt, byte[] entropy) {}

  private record Connection(InputStream in, OutputStream out, Closeable socket) {}

  private final String address;
  private final String name;
  private final String token;
  private final Random random = new Random();
  private final Map<String, Share> shares = new HashMap<>(); // by match
  private boolean isWelcome; // on the latest connection
  private String resumeKey; // to come back with; null before the first welcome
  private long graceMs; // how long the arena waits for a bot that is gone

  private Bot(String address, String name, String token) {
    this.address = address;
    this.name = name;
    this.token = token;
  }

  /**
   * The bot's whole mind: put yours here. Gives an index into {@code legal}, a list of turns; a
   * turn is a list of moves [from, to]. {@code dice} and {@code position} are in {@code turn} too.
   */
  private int choose(Message turn) {
    return random.nextInt(turn.get("legal").asArrayValue().size());
  }

  /** What the arena says: a map with text as its keys. */
  private record Message(Map<Value, Value> fields) {
    Value get(String key) {
      return fields.get(newString(key));
    }

    String text(String key) {
      return get(key).asStringValue().asString();
    }

    int number(String key) {
      return get(key).asIntegerValue().asInt();
    }
  }

  /** Plays on one connection until the arena says goodbye. After an IOException come back. */
  private void session() throws IOException, Refused {
    isWelcome = false;
    Connection connection = connect();
    try (Closeable socket = connection.socket) {
      DataInputStream in = new DataInputStream(connection.in);
      while (true) {
        int length = in.readInt(); // four bytes, big-endian; then a msgpack map of this length
        if (length < 0 || length > LONGEST_FRAME) {
          throw new Refused("a frame of %d bytes was announced, %d are allowed: is this an arena?"
              .formatted(Integer.toUnsignedLong(length), LONGEST_FRAME));
        }
        byte[] frame = new byte[length];
        in.readFully(frame);
        Message said = read(frame);
        if (said.text("type").equals("bye")) {
          return;
        }
        answer(said, connection.out);
      }
    }
  }

  private static Message read(byte[] frame) throws IOException, Refused {
    try {
      return new Message(MessagePack.newDefaultUnpacker(frame).unpackValue().asMapValue().map());
    } catch (MessagePackException error) {
      throw new Refused("a frame of the arena cannot be read: " + error.getMessage());
    }
  }

  /** Says what the message asks for. What it does not know it skips. */
  private void answer(Message said, OutputStream out) throws IOException, Refused {
    switch (said.text("type")) {
      case "hello" -> {
        if (said.number("protocol") != 1) {
          throw new Refused(
              "the arena speaks protocol %d, this bot speaks 1".formatted(said.number("protocol")));
        }
        send(
            out,
            "login",
            Map.entry("protocol", newInteger(1)),
            Map.entry("name", newString(name)),
            Map.entry("version", newString("1.0")),
            Map.entry("fingerprint", newString(FINGERPRINT)),
            Map.entry("token", newString(token)),
            Map.entry("wants", newArray(newString("legal"))),
            Map.entry("resume", resumeKey == null ? newNil() : newString(resumeKey)));
      }
      case "welcome" -> {
        isWelcome = true;
        resumeKey = said.text("resume_key");
        Value grace = said.get("limits").asMapValue().map().get(newString("grace_ms"));
        graceMs = grace == null ? 0 : grace.asIntegerValue().asLong();
      }
      case "match_start" -> {
        int attempt = said.get("attempt") == null ? 1 : said.number("attempt");
        Share share = shares.get(said.text("match"));
        if (share == null || share.attempt != attempt) {
          share = new Share(attempt, new byte[32]);
          new SecureRandom().nextBytes(share.entropy);
          shares.put(said.text("match"), share);
        }
        send(
            out,
            "match_ready",
            Map.entry("match", said.get("match")),
            Map.entry("commitment", newBinary(sha256(share.entropy))));
      }
      case "match_reveal" ->
          send(
              out,
              "match_entropy",
              Map.entry("match", said.get("match")),
              Map.entry("entropy", newBinary(shares.get(said.text("match")).entropy)));
      case "turn" -> play(out, said, choose(said));
      case "rejected" -> {
        System.err.printf("rejected (%s): %s%n", said.text("code"), said.text("message"));
        if (said.number("left") >= 0) {
          play(out, said, 0); // the first of the legal turns is always there
        }
      }
      case "match_end" -> {
        shares.remove(said.text("match"));
        System.out.printf(
            "%s: %s, %s%n", said.text("match"), said.text("result"), said.get("score"));
      }
      case "ping" -> {
        Value data = said.get("data");
        send(out, "pong", Map.entry("data", data == null ? newInteger(0) : data));
      }
      case "error" -> {
        String sentence = "the arena says: " + said.text("message") + " (" + said.text("code") + ")";
        boolean isBusy = PASSING.contains(said.text("code")) && !isWelcome;
        if (isBusy || said.text("code").equals("internal")) { // or the arena itself has failed
          throw new IOException(sentence);
        }
        if (said.get("fatal").asBooleanValue().getBoolean()) {
          throw new Refused(sentence);
        }
        System.err.println(sentence);
      }
      default -> {}
    }
  }

  private static byte[] sha256(byte[] data) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(data);
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException("every Java has SHA-256", error);
    }
  }

  private static void play(OutputStream out, Message turn, int choice) throws IOException {
    send(
        out,
        "play",
        Map.entry("game", turn.get("game")),
        Map.entry("turn", turn.get("turn")),
        Map.entry("choice", newInteger(choice)));
  }

  /** Writes a frame at once. Never put a float into a message: the arena refuses it. */
  @SafeVarargs
  private static void send(OutputStream out, String type, Map.Entry<String, Value>... fields)
      throws IOException {
    try (MessageBufferPacker body = MessagePack.newDefaultBufferPacker()) {
      body.packMapHeader(1 + fields.length).packString("type").packString(type);
      for (Map.Entry<String, Value> field : fields) {
        body.packString(field.getKey()).packValue(field.getValue());
      }
      byte[] map = body.toByteArray();
      out.write(ByteBuffer.allocate(4 + map.length).putInt(map.length).put(map).array());
      out.flush();
    }
  }

  private Connection connect() throws IOException, Refused {
    Matcher network = Pattern.compile("(tcp|tls):\\[?(.+?)]?:(\\d{1,9})").matcher(address);
    try {
      if (address.startsWith("unix:")) {
        SocketChannel channel =
            SocketChannel.open(UnixDomainSocketAddress.of(address.substring("unix:".length())));
        return new Connection(
            Channels.newInputStream(channel), Channels.newOutputStream(channel), channel);
      }
      if (!network.matches()) {
        throw new Refused(
            "ARENA_ADDRESS is '%s', not unix:path, tcp:host:port or tls:host:port"
                .formatted(address));
      }
      String host = network.group(2);
      int port = Integer.parseInt(network.group(3));
      Socket socket =
          network.group(1).equals("tls")
              ? trusting().createSocket(host, port)
              : new Socket(host, port);
      if (socket instanceof SSLSocket secure) {
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS"); // the certificate is for this host
        secure.setSSLParameters(parameters);
        secure.startHandshake();
      }
      socket.setTcpNoDelay(true); // or a small answer may wait while the clock runs
      return new Connection(socket.getInputStream(), socket.getOutputStream(), socket);
    } catch (SSLHandshakeException error) {
      throw new IOException(
          "no connection to %s: %s; if the operator has made the certificate, set ARENA_CA=arena.pem"
              .formatted(address, error.getMessage()));
    } catch (IOException | IllegalArgumentException error) { // the latter for a port above 65535
      throw new IOException("no connection to " + address + ": " + error.getMessage());
    }
  }

  /** Trusts the certificates in the file that ARENA_CA names; without it those that Java knows. */
  private static SocketFactory trusting() throws Refused {
    String file = System.getenv("ARENA_CA");
    if (file == null || file.isEmpty()) {
      return SSLSocketFactory.getDefault();
    }
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry("arena " + trusted.size(), one);
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context.getSocketFactory();
    } catch (IOException | GeneralSecurityException | IllegalArgumentException error) {
      throw new Refused(
          "ARENA_CA=%s is not a file of certificates in PEM form: %s"
              .formatted(file, error.getMessage()));
    }
  }

  public static void main(String[] arguments) throws InterruptedException {
    String address = System.getenv("ARENA_ADDRESS");
    String name = System.getenv("ARENA_NAME");
    String token = System.getenv("ARENA_TOKEN");
    if (address == null || name == null || token == null) {
      leave(
          "ARENA_ADDRESS, ARENA_NAME and ARENA_TOKEN are not all set: let the arena start this bot,"
              + " as in: arena run --bot java=\"...\" --bot ... (see README.md)");
    }
    Bot bot = new Bot(address, name, token);
    long giveUp = nowMs();
    for (long pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        bot.session();
        return;
      } catch (Refused end) {
        leave(end.getMessage());
      } catch (IOException end) {
        String sentence = end.getMessage() == null ? "the arena hung up" : end.getMessage();
        if (bot.isWelcome) { // the grace begins
          giveUp = nowMs() + bot.graceMs;
          pauseMs = FIRST_PAUSE_MS;
        }
        if (nowMs() >= giveUp) {
          leave(sentence);
        }
        System.err.println(sentence + "; connecting again");
      }
      Thread.sleep(pauseMs);
    }
  }

  private static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }

  private static void leave(String sentence) {
    System.err.println(sentence);
    System.exit(1);
  }
}
