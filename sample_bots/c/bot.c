// A sample bot: it plays any of the legal turns. See README.md; what goes over the wire is in
// docs/protocol.md.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <msgpack.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "sha256.h"

// Of this build: in a venue another one makes a new version of the bot.
static const char fingerprint[] = "1";

enum { LONGEST_FRAME = 262144 };  // bytes; the arena sends no more in one frame
enum { FIRST_PAUSE_MS = 100, LONGEST_PAUSE_MS = 2000 };

// Where a connection stands. After LOST it is worth connecting again; DONE is after goodbye.
typedef enum { OPEN, DONE, LOST, FAILED } State;

static const char *address, *name, *token;
static int sock;
static bool is_welcome;       // on the latest connection
static char resume_key[257];  // to come back with; empty before the first welcome
static int64_t grace_ms;      // how long the arena waits for a bot that is gone

// Looking into messages. What is missing or of another form counts as empty text, 0 or an empty list.

static msgpack_object field(msgpack_object map, const char *key) {
  for (uint32_t i = 0; map.type == MSGPACK_OBJECT_MAP && i < map.via.map.size; i++) {
    msgpack_object_str found = map.via.map.ptr[i].key.via.str;
    if (map.via.map.ptr[i].key.type == MSGPACK_OBJECT_STR && found.size == strlen(key) &&
        memcmp(found.ptr, key, found.size) == 0)
      return map.via.map.ptr[i].val;
  }
  return (msgpack_object){.type = MSGPACK_OBJECT_NIL};
}

static msgpack_object_str text(msgpack_object map, const char *key) {
  msgpack_object found = field(map, key);
  return found.type == MSGPACK_OBJECT_STR ? found.via.str : (msgpack_object_str){.size = 0, .ptr = ""};
}

static bool is(msgpack_object_str text, const char *word) {
  return text.size == strlen(word) && memcmp(text.ptr, word, text.size) == 0;
}

static int64_t number(msgpack_object map, const char *key) {
  msgpack_object found = field(map, key);  // i64 holds what is positive too, as far as the protocol goes
  bool is_integer =
      found.type == MSGPACK_OBJECT_POSITIVE_INTEGER || found.type == MSGPACK_OBJECT_NEGATIVE_INTEGER;
  return is_integer ? found.via.i64 : 0;
}

// The bot's whole mind: put yours here. Gives an index into `legal`, a list of turns; a turn is a list of
// moves [from, to]. `dice` and `position` are fields of `turn` as well.
static uint32_t choose(msgpack_object turn) {
  msgpack_object legal = field(turn, "legal");
  uint32_t size = legal.type == MSGPACK_OBJECT_ARRAY ? legal.via.array.size : 0;
  uint32_t random = 0;
  if (getentropy(&random, sizeof random) != 0) perror("getentropy");
  return size ? random % size : 0;
}

// Writing. A frame is four bytes of length, big-endian, then a msgpack map.

static void put_text(msgpack_packer *frame, msgpack_object_str value) {
  msgpack_pack_str(frame, value.size);
  msgpack_pack_str_body(frame, value.ptr, value.size);
}

static void put(msgpack_packer *frame, const char *word) {
  put_text(frame, (msgpack_object_str){.size = strlen(word), .ptr = word});
}

static void put_pair(msgpack_packer *frame, const char *key, const char *word) {
  put(frame, key);
  put(frame, word);
}

static void put_number(msgpack_packer *frame, const char *key, int64_t value) {
  put(frame, key);
  msgpack_pack_int64(frame, value);
}

// Begins a message; `fields` more than its type have to follow.
static msgpack_packer begin(msgpack_sbuffer *buffer, const char *type, int fields) {
  msgpack_packer frame;
  msgpack_sbuffer_init(buffer);
  msgpack_sbuffer_write(buffer, "\0\0\0\0", 4);  // room for the length
  msgpack_packer_init(&frame, buffer, msgpack_sbuffer_write);
  msgpack_pack_map(&frame, 1 + fields);
  put_pair(&frame, "type", type);
  return frame;
}

static State lost(void) {
  fprintf(stderr, "the connection was lost: %s\n", errno ? strerror(errno) : "the arena hung up");
  return LOST;
}

static State finish(msgpack_sbuffer *buffer) {
  uint32_t length = htonl(buffer->size - 4);
  memcpy(buffer->data, &length, 4);
  ssize_t sent = 1;
  for (size_t at = 0; at < buffer->size && sent > 0; at += sent)
    sent = send(sock, buffer->data + at, buffer->size - at, MSG_NOSIGNAL);
  msgpack_sbuffer_destroy(buffer);
  return sent > 0 ? OPEN : lost();
}

static State send_login(void) {
  msgpack_sbuffer buffer;
  msgpack_packer frame = begin(&buffer, "login", *resume_key ? 7 : 6);
  put_number(&frame, "protocol", 1);
  put_pair(&frame, "name", name);
  put_pair(&frame, "version", "1.0");
  put_pair(&frame, "fingerprint", fingerprint);
  put_pair(&frame, "token", token);
  put(&frame, "wants");
  msgpack_pack_array(&frame, 1);
  put(&frame, "legal");
  if (*resume_key) put_pair(&frame, "resume", resume_key);
  return finish(&buffer);
}

// My share in the dice of a match: random bytes, revealed when both bots have committed to theirs. It stays
// the same until the next attempt, even if the connection is lost meanwhile.
typedef struct {
  char match[256];
  int64_t attempt;
  unsigned char entropy[32];
} Share;

static Share *share_of(msgpack_object_str match, int64_t attempt) {
  static Share shares[64];  // more than any bot plays at once
  static unsigned made;
  Share *share = NULL;
  for (int i = 0; i < 64; i++)
    if (is(match, shares[i].match)) share = &shares[i];
  if (share && (share->attempt == attempt || attempt < 0)) return share;
  if (!share) share = &shares[made++ % 64];
  snprintf(share->match, sizeof share->match, "%.*s", (int)match.size, match.ptr);
  share->attempt = attempt;
  if (getentropy(share->entropy, sizeof share->entropy) != 0) perror("getentropy");
  return share;
}

static State send_share(const char *type, msgpack_object_str match, const char *key,
                        const unsigned char *bytes) {
  msgpack_sbuffer buffer;
  msgpack_packer frame = begin(&buffer, type, 2);
  put(&frame, "match");
  put_text(&frame, match);
  put(&frame, key);
  msgpack_pack_bin(&frame, 32);
  msgpack_pack_bin_body(&frame, bytes, 32);
  return finish(&buffer);
}

static State send_match_ready(msgpack_object_str match, int64_t attempt) {
  unsigned char commitment[32];
  sha256_of_32(share_of(match, attempt)->entropy, commitment);
  return send_share("match_ready", match, "commitment", commitment);
}

static State send_match_entropy(msgpack_object_str match) {
  return send_share("match_entropy", match, "entropy", share_of(match, -1)->entropy);
}

static State send_play(int64_t game, int64_t turn, uint32_t choice) {
  msgpack_sbuffer buffer;
  msgpack_packer frame = begin(&buffer, "play", 3);
  put_number(&frame, "game", game);
  put_number(&frame, "turn", turn);
  put_number(&frame, "choice", choice);
  return finish(&buffer);
}

static State send_pong(int64_t data) {
  msgpack_sbuffer buffer;
  msgpack_packer frame = begin(&buffer, "pong", 1);
  put_number(&frame, "data", data);
  return finish(&buffer);
}

// Playing.

static State answer(msgpack_object said) {
  msgpack_object_str type = text(said, "type"), match = text(said, "match");
  msgpack_object_str code = text(said, "code"), message = text(said, "message");
  int64_t game = number(said, "game"), turn = number(said, "turn");
  if (is(type, "hello")) {
    if (number(said, "protocol") == 1) return send_login();
    fprintf(stderr, "the arena speaks protocol %" PRId64 ", this bot speaks 1\n", number(said, "protocol"));
    return FAILED;
  }
  if (is(type, "welcome")) {
    msgpack_object_str key = text(said, "resume_key");
    snprintf(resume_key, sizeof resume_key, "%.*s", (int)key.size, key.ptr);
    grace_ms = number(field(said, "limits"), "grace_ms");
    is_welcome = true;
  }
  if (is(type, "match_start")) return send_match_ready(match, number(said, "attempt"));
  if (is(type, "match_reveal")) return send_match_entropy(match);
  if (is(type, "turn")) return send_play(game, turn, choose(said));
  if (is(type, "rejected")) {
    fprintf(stderr, "rejected (%.*s): %.*s\n", (int)code.size, code.ptr, (int)message.size, message.ptr);
    if (number(said, "left") >= 0) return send_play(game, turn, 0);  // the first legal turn is always there
  }
  if (is(type, "match_end")) {
    share_of(match, -1)->match[0] = 0;
    msgpack_object_str result = text(said, "result");
    printf("%.*s: %.*s, ", (int)match.size, match.ptr, (int)result.size, result.ptr);
    msgpack_object_print(stdout, field(said, "score"));
    puts("");
  }
  if (is(type, "ping")) return send_pong(number(said, "data"));
  if (is(type, "error")) {
    fprintf(stderr, "the arena says: %.*s (%.*s)\n", (int)message.size, message.ptr, (int)code.size,
            code.ptr);
    if (is(code, "internal")) return LOST;  // the arena itself has failed
    if (!is_welcome &&                      // it has not noticed my loss yet, or has no room now
        (is(code, "already_connected") || is(code, "too_many_connections")))
      return LOST;
    if (field(said, "fatal").type == MSGPACK_OBJECT_BOOLEAN && field(said, "fatal").via.boolean)
      return FAILED;
  }
  return is(type, "bye") ? DONE : OPEN;  // what the bot does not know it skips
}

static State connect_to_arena(void) {
  char host[256], port[16];
  struct sockaddr_un unix_address = {.sun_family = AF_UNIX};
  int failed = -1;
  errno = 0;
  if (sscanf(address, "unix:%107[^\n]", unix_address.sun_path) == 1) {
    sock = socket(AF_UNIX, SOCK_STREAM, 0);
    failed = connect(sock, (struct sockaddr *)&unix_address, sizeof unix_address);
  } else if (sscanf(address, "tcp:[%255[^]]]:%15[0-9]", host, port) == 2 ||
             sscanf(address, "tcp:%255[^:]:%15[0-9]", host, port) == 2) {
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    int unknown = getaddrinfo(host, port, &wanted, &found);
    if (unknown) {
      fprintf(stderr, "no connection to %s: %s\n", address, gai_strerror(unknown));
      return LOST;
    }
    for (struct addrinfo *one = found; one && failed; one = one->ai_next) {
      sock = socket(one->ai_family, one->ai_socktype, one->ai_protocol);
      failed = connect(sock, one->ai_addr, one->ai_addrlen);
      if (failed) close(sock);
    }
    freeaddrinfo(found);
    // or a small answer may wait in the operating system while the clock runs
    if (!failed) setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  } else {
    fprintf(stderr, "ARENA_ADDRESS is '%s', but this bot speaks only unix:path and tcp:host:port\n", address);
    return FAILED;
  }
  if (!failed) return OPEN;
  fprintf(stderr, "no connection to %s: %s\n", address, strerror(errno));
  return LOST;
}

static bool receive(void *bytes, size_t size) {
  for (char *at = bytes; size > 0;) {
    errno = 0;
    ssize_t got = recv(sock, at, size, 0);  // may be fewer than asked for
    if (got <= 0) return false;
    at += got;
    size -= got;
  }
  return true;
}

// Waits for a frame and answers it.
static State hear(void) {
  static char frame[LONGEST_FRAME];
  uint32_t length;
  if (!receive(&length, sizeof length)) return lost();
  length = ntohl(length);
  if (length > LONGEST_FRAME) {
    fprintf(stderr, "a frame of %" PRIu32 " bytes was announced, %d are allowed: is this an arena?\n", length,
            LONGEST_FRAME);
    return FAILED;
  }
  if (!receive(frame, length)) return lost();
  State state = FAILED;
  msgpack_unpacked said;
  msgpack_unpacked_init(&said);
  if (msgpack_unpack_next(&said, frame, length, NULL) == MSGPACK_UNPACK_SUCCESS)
    state = answer(said.data);
  else
    fputs("a frame of the arena cannot be read: it is not msgpack\n", stderr);
  msgpack_unpacked_destroy(&said);
  return state;
}

// One connection.
static State session(void) {
  is_welcome = false;
  State state = connect_to_arena();
  if (state != OPEN) return state;
  while (state == OPEN) state = hear();
  close(sock);
  return state;
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

int main(void) {
  address = getenv("ARENA_ADDRESS");
  name = getenv("ARENA_NAME");
  token = getenv("ARENA_TOKEN");
  if (!address || !name || !token) {
    fputs(
        "ARENA_ADDRESS, ARENA_NAME and ARENA_TOKEN are not all set: let the arena start this bot, "
        "as in: arena run --bot c=\"...\" --bot ... (see README.md)\n",
        stderr);
    return 1;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  int64_t give_up = 0;
  for (int pause_ms = FIRST_PAUSE_MS;; pause_ms *= 2) {
    State state = session();
    if (state == DONE) return 0;
    if (is_welcome) {  // the grace begins
      give_up = now_ms() + grace_ms;
      pause_ms = FIRST_PAUSE_MS;
    }
    if (state == FAILED || now_ms() >= give_up) return 1;
    if (pause_ms > LONGEST_PAUSE_MS) pause_ms = LONGEST_PAUSE_MS;
    usleep(pause_ms * 1000);
  }
}
