// A sample bot: it plays any of the legal turns. See README.md; what goes over the wire is in docs/protocol.md.
package main

import (
	"bufio"
	crypto "crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"strings"
	"time"

	"github.com/vmihailenco/msgpack/v5"
)

const fingerprint = "1"     // of this build: in a venue another one makes a new version of the bot
const longestFrame = 262144 // bytes; the arena sends no more in one frame
const firstPause, longestPause = 100 * time.Millisecond, 2 * time.Second

var chance = rand.New(rand.NewSource(time.Now().UnixNano()))

// choose is the bot's whole mind: put yours here. It gives an index into turn.Legal.
func choose(turn *message) int {
	return chance.Intn(len(turn.Legal))
}

// message holds the fields of the arena's messages that this bot looks at; others are skipped.
type message struct {
	Type      string `msgpack:"type"`
	Protocol  int    `msgpack:"protocol"`   // hello
	ResumeKey string `msgpack:"resume_key"` // welcome: a secret to come back with
	Limits    struct {
		GraceMs int64 `msgpack:"grace_ms"` // how long the arena waits for a bot that is gone
	} `msgpack:"limits"`
	Match    string `msgpack:"match"`
	Attempt  int    `msgpack:"attempt"` // match_start; 0 means 1
	Game     int    `msgpack:"game"`
	Turn     int    `msgpack:"turn"`
	Dice     []int  `msgpack:"dice"`
	Position struct {
		Points []int    `msgpack:"points"` // point 1 first; mine are positive, theirs negative
		Bar    []int    `msgpack:"bar"`    // mine, theirs
		Off    []int    `msgpack:"off"`
		Board  []string `msgpack:"board"` // in Brandubh, instead of the three above
	} `msgpack:"position"`
	Legal   [][][2]any `msgpack:"legal"` // turns of moves [from, to]: numbers, in Brandubh squares such as "d1"
	Code    string     `msgpack:"code"`  // rejected, error
	Message string     `msgpack:"message"`
	Left    int        `msgpack:"left"`
	Fatal   bool       `msgpack:"fatal"`
	Result  string     `msgpack:"result"` // match_end
	Score   []int      `msgpack:"score"`
	Data    int64      `msgpack:"data"` // ping
}

type login struct {
	Type     string   `msgpack:"type"`
	Protocol int      `msgpack:"protocol"`
	Name     string   `msgpack:"name"`
	Version  string   `msgpack:"version"`
	Build    string   `msgpack:"fingerprint"`
	Token    string   `msgpack:"token"`
	Wants    []string `msgpack:"wants"`
	Resume   string   `msgpack:"resume,omitempty"`
}

type matchReady struct {
	Type       string `msgpack:"type"`
	Match      string `msgpack:"match"`
	Commitment []byte `msgpack:"commitment"`
}

type matchEntropy struct {
	Type    string `msgpack:"type"`
	Match   string `msgpack:"match"`
	Entropy []byte `msgpack:"entropy"`
}

// share is the bot's part in the dice of a match: random bytes, revealed when both bots have committed to theirs. It
// stays the same until the next attempt, even if the connection is lost meanwhile.
type share struct {
	attempt int
	entropy []byte
}

type play struct {
	Type   string `msgpack:"type"`
	Game   int    `msgpack:"game"`
	Turn   int    `msgpack:"turn"`
	Choice int    `msgpack:"choice"`
}

type pong struct {
	Type string `msgpack:"type"`
	Data int64  `msgpack:"data"`
}

// lost is an end of the connection after which it is worth connecting again.
type lost struct{ error }

// bot is what outlives a connection.
type bot struct {
	address, name, token string
	isWelcome            bool // on the latest connection
	resumeKey            string
	shares               map[string]share // by match
	grace                time.Duration
}

func main() {
	b := bot{shares: map[string]share{}, address: os.Getenv("ARENA_ADDRESS"), name: os.Getenv("ARENA_NAME"), token: os.Getenv("ARENA_TOKEN")}
	if b.address == "" || b.name == "" || b.token == "" {
		fmt.Fprintln(os.Stderr, "ARENA_ADDRESS, ARENA_NAME and ARENA_TOKEN are not all set: "+
			`let the arena start this bot, as in: arena run --bot go="..." --bot ... (see README.md)`)
		os.Exit(1)
	}
	var giveUp time.Time
	pause := firstPause
	for {
		err := b.session()
		if err == nil {
			return
		}
		if b.isWelcome { // the grace begins
			giveUp, pause = time.Now().Add(b.grace), firstPause
		}
		if !errors.As(err, &lost{}) || time.Now().After(giveUp) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintf(os.Stderr, "%v; connecting again\n", err)
		time.Sleep(pause)
		if pause *= 2; pause > longestPause {
			pause = longestPause
		}
	}
}

// session is one connection; it ends well when the arena says goodbye.
func (b *bot) session() error {
	b.isWelcome = false
	conn, err := connect(b.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	incoming := bufio.NewReader(conn)
	for {
		said, err := receive(incoming)
		if err != nil {
			return err
		}
		if said.Type == "bye" {
			return nil
		}
		if err := b.answer(conn, said); err != nil {
			return err
		}
	}
}

// answer says what the message asks for. What it does not know it skips.
func (b *bot) answer(conn io.Writer, said *message) error {
	switch said.Type {
	case "hello":
		if said.Protocol != 1 {
			return fmt.Errorf("the arena speaks protocol %d, this bot speaks 1", said.Protocol)
		}
		return send(conn, login{"login", 1, b.name, "1.0", fingerprint, b.token, []string{"legal"}, b.resumeKey})
	case "welcome":
		b.isWelcome, b.resumeKey = true, said.ResumeKey
		b.grace = time.Duration(said.Limits.GraceMs) * time.Millisecond
	case "match_start":
		mine, isKnown := b.shares[said.Match]
		if !isKnown || mine.attempt != said.Attempt {
			mine = share{said.Attempt, make([]byte, 32)}
			if _, err := crypto.Read(mine.entropy); err != nil {
				return err
			}
			b.shares[said.Match] = mine
		}
		commitment := sha256.Sum256(mine.entropy)
		return send(conn, matchReady{"match_ready", said.Match, commitment[:]})
	case "match_reveal":
		return send(conn, matchEntropy{"match_entropy", said.Match, b.shares[said.Match].entropy})
	case "turn":
		return send(conn, play{"play", said.Game, said.Turn, choose(said)})
	case "rejected":
		fmt.Fprintf(os.Stderr, "rejected (%s): %s\n", said.Code, said.Message)
		if said.Left >= 0 { // the same turn is open again, and the first of the legal turns is always there
			return send(conn, play{"play", said.Game, said.Turn, 0})
		}
	case "match_end":
		delete(b.shares, said.Match)
		fmt.Printf("%s: %s, %v\n", said.Match, said.Result, said.Score)
	case "ping":
		return send(conn, pong{"pong", said.Data})
	case "error":
		err := fmt.Errorf("the arena says: %s (%s)", said.Message, said.Code)
		busy := said.Code == "already_connected" || said.Code == "too_many_connections"
		if said.Code == "internal" || busy && !b.isWelcome { // it failed, has not noticed my loss yet, or has no room now
			return lost{err}
		}
		if said.Fatal {
			return err
		}
		fmt.Fprintln(os.Stderr, err)
	}
	return nil
}

func connect(address string) (conn net.Conn, err error) {
	kind, where, _ := strings.Cut(address, ":")
	switch kind {
	case "unix", "tcp":
		conn, err = net.Dial(kind, where) // Go switches on TCP_NODELAY by itself
	case "tls":
		config := &tls.Config{}
		if file := os.Getenv("ARENA_CA"); file != "" { // the certificate of an arena whose operator has made it
			certificates, err := os.ReadFile(file)
			config.RootCAs = x509.NewCertPool()
			if err != nil || !config.RootCAs.AppendCertsFromPEM(certificates) {
				return nil, fmt.Errorf("ARENA_CA=%s is not a file of certificates in PEM form", file)
			}
		}
		conn, err = tls.Dial("tcp", where, config)
		if errors.As(err, &x509.UnknownAuthorityError{}) {
			err = fmt.Errorf("%w; if the operator has made the certificate, set ARENA_CA=arena.pem", err)
		}
	default:
		return nil, fmt.Errorf("ARENA_ADDRESS is %q, not unix:path, tcp:host:port or tls:host:port", address)
	}
	if err != nil {
		return nil, lost{fmt.Errorf("no connection to %s: %w", address, err)}
	}
	return conn, nil
}

// receive waits for a frame: four bytes of length, big-endian, then a msgpack map.
func receive(incoming io.Reader) (*message, error) {
	var length uint32
	if err := binary.Read(incoming, binary.BigEndian, &length); err != nil {
		return nil, lost{fmt.Errorf("the connection was lost: %w", err)}
	}
	if length > longestFrame {
		return nil, fmt.Errorf("a frame of %d bytes was announced, %d are allowed: is this an arena?", length, longestFrame)
	}
	frame := make([]byte, length)
	if _, err := io.ReadFull(incoming, frame); err != nil {
		return nil, lost{fmt.Errorf("the connection was lost: %w", err)}
	}
	said := new(message)
	if err := msgpack.Unmarshal(frame, said); err != nil {
		return nil, fmt.Errorf("a frame of the arena cannot be read: %w", err)
	}
	return said, nil
}

// send writes a frame at once. Never put a float into a message: the arena refuses it.
func send(outgoing io.Writer, answer any) error {
	body, err := msgpack.Marshal(answer)
	if err != nil {
		return err
	}
	frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	if _, err := outgoing.Write(frame); err != nil {
		return lost{fmt.Errorf("the connection was lost: %w", err)}
	}
	return nil
}
