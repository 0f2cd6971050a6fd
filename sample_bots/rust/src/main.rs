//! A sample bot: it plays any of the legal turns. See README.md; what goes over the wire is in docs/protocol.md.
use std::collections::HashMap;
use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use std::{env, process, thread};

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use sha2::{Digest, Sha256};

const FINGERPRINT: &str = "1"; // of this build: in a venue another one makes a new version of the bot
const LONGEST_FRAME: u32 = 262_144; // bytes; the arena sends no more in one frame
/// After these the arena may let the bot in later: it has not noticed the loss yet, or has no room now.
const PASSING: [&str; 2] = ["already_connected", "too_many_connections"];
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The bot's whole mind: put yours here. Gives an index into `turn.legal`.
fn choose(turn: &Turn) -> usize {
    let mut random = [0; 8];
    getrandom::getrandom(&mut random).expect("the operating system has random numbers");
    (u64::from_be_bytes(random) % turn.legal.len() as u64) as usize
}

/// What the arena says, as far as this bot looks at it: other messages and other fields are skipped.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum FromArena {
    Hello {
        protocol: u32,
    },
    Welcome {
        resume_key: String,
        limits: Limits,
    },
    MatchStart {
        r#match: String,
        attempt: Option<u64>,
    },
    MatchReveal {
        r#match: String,
    },
    Turn(Turn),
    Rejected {
        game: u64,
        turn: u64,
        code: String,
        message: String,
        left: i64,
    },
    MatchEnd {
        r#match: String,
        result: String,
        score: Vec<i64>,
    },
    Error {
        code: String,
        message: String,
        fatal: bool,
    },
    Ping {
        data: Option<i64>,
    },
    Bye,
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct Limits {
    grace_ms: Option<u64>, // how long the arena waits for a bot that is gone
}

#[derive(Deserialize)]
#[allow(dead_code)] // chance needs no look at the board
struct Turn {
    game: u64,
    turn: u64,
    dice: Vec<u8>,
    position: Position,
    legal: Vec<Vec<(Place, Place)>>, // turns of moves from one place to another
}

#[derive(Deserialize)]
#[serde(untagged)]
#[allow(dead_code)]
enum Position {
    Tables { points: Vec<i8>, bar: [u8; 2], off: [u8; 2] }, // point 1 first; mine are positive, theirs negative
    Brandubh { board: Vec<String>, to_move: String },
}

#[derive(Deserialize)]
#[serde(untagged)]
#[allow(dead_code)]
enum Place {
    Point(u8),      // 1 to 24; 0 is the bar, 25 is off
    Square(String), // in Brandubh, such as "d1"
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum FromBot {
    Login {
        protocol: u32,
        name: String,
        version: String,
        fingerprint: String,
        token: String,
        wants: Vec<String>,
        resume: Option<String>,
    },
    MatchReady {
        r#match: String,
        commitment: ByteBuf,
    },
    MatchEntropy {
        r#match: String,
        entropy: ByteBuf,
    },
    Play {
        game: u64,
        turn: u64,
        choice: usize,
    },
    Pong {
        data: i64,
    },
}

/// How a connection ended, other than with goodbye.
enum End {
    Lost(String), // it is worth connecting again
    Refused(String),
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> End {
        End::Lost(format!("the connection was lost: {error}"))
    }
}

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// What outlives a connection.
struct Bot {
    address: String,
    name: String,
    token: String,
    is_welcome: bool, // on the latest connection
    resume_key: Option<String>,
    grace: Duration,
    shares: HashMap<String, Share>, // by match
}

/// The bot's part in the dice of a match: random bytes, revealed when both bots have committed to theirs. It stays the
/// same until the next attempt, even if the connection is lost meanwhile.
#[derive(Default)]
struct Share {
    attempt: u64,
    entropy: Vec<u8>,
}

impl Bot {
    /// One connection; it ends well when the arena says goodbye.
    fn session(&mut self) -> Result<(), End> {
        self.is_welcome = false;
        let mut stream = BufReader::new(connect(&self.address)?);
        loop {
            let said = receive(&mut stream)?;
            if let FromArena::Bye = said {
                return Ok(());
            }
            if let Some(answer) = self.answer(said)? {
                send(stream.get_mut(), &answer)?;
            }
        }
    }

    /// What the message asks for, if it asks for anything.
    fn answer(&mut self, said: FromArena) -> Result<Option<FromBot>, End> {
        match said {
            FromArena::Hello { protocol } if protocol != 1 => {
                return Err(End::Refused(format!("the arena speaks protocol {protocol}, this bot speaks 1")));
            }
            FromArena::Hello { protocol } => {
                let (name, token, resume) = (self.name.clone(), self.token.clone(), self.resume_key.clone());
                let (version, fingerprint, wants) = ("1.0".into(), FINGERPRINT.into(), vec!["legal".into()]);
                return Ok(Some(FromBot::Login { protocol, name, version, fingerprint, token, wants, resume }));
            }
            FromArena::Welcome { resume_key, limits } => {
                self.is_welcome = true;
                self.resume_key = Some(resume_key);
                self.grace = Duration::from_millis(limits.grace_ms.unwrap_or(0));
            }
            FromArena::MatchStart { r#match, attempt } => {
                let share = self.shares.entry(r#match.clone()).or_default();
                let attempt = attempt.unwrap_or(1);
                if share.attempt != attempt {
                    *share = Share { attempt, entropy: vec![0; 32] };
                    getrandom::getrandom(&mut share.entropy).expect("the operating system has random numbers");
                }
                let commitment = ByteBuf::from(Sha256::digest(&share.entropy).to_vec());
                return Ok(Some(FromBot::MatchReady { r#match, commitment }));
            }
            FromArena::MatchReveal { r#match } => {
                let entropy = self.shares.get(&r#match).map(|share| share.entropy.clone()).unwrap_or_default();
                return Ok(Some(FromBot::MatchEntropy { r#match, entropy: ByteBuf::from(entropy) }));
            }
            FromArena::Turn(asked) => {
                return Ok(Some(FromBot::Play { game: asked.game, turn: asked.turn, choice: choose(&asked) }));
            }
            FromArena::Rejected { game, turn, code, message, left } => {
                eprintln!("rejected ({code}): {message}");
                if left >= 0 {
                    return Ok(Some(FromBot::Play { game, turn, choice: 0 })); // the first legal turn is always there
                }
            }
            FromArena::MatchEnd { r#match, result, score } => {
                self.shares.remove(&r#match);
                println!("{match}: {result}, {score:?}");
            }
            FromArena::Error { code, message, fatal } => {
                let sentence = format!("the arena says: {message} ({code})");
                if code == "internal" || !self.is_welcome && PASSING.contains(&code.as_str()) {
                    return Err(End::Lost(sentence));
                }
                if fatal {
                    return Err(End::Refused(sentence));
                }
                eprintln!("{sentence}");
            }
            FromArena::Ping { data } => return Ok(Some(FromBot::Pong { data: data.unwrap_or(0) })),
            FromArena::Bye | FromArena::Unknown => (),
        }
        Ok(None)
    }
}

fn connect(address: &str) -> Result<Box<dyn Stream>, End> {
    let no_connection = |error| End::Lost(format!("no connection to {address}: {error}"));
    if let Some(path) = address.strip_prefix("unix:") {
        Ok(Box::new(UnixStream::connect(path).map_err(no_connection)?))
    } else if let Some(host_and_port) = address.strip_prefix("tcp:") {
        let stream = TcpStream::connect(host_and_port).map_err(no_connection)?;
        stream.set_nodelay(true)?; // or a small answer may wait in the operating system while the clock runs
        Ok(Box::new(stream))
    } else {
        Err(End::Refused(format!("ARENA_ADDRESS is {address:?}, but this bot speaks only unix:path and tcp:host:port")))
    }
}

/// Wait for a frame: four bytes of length, big-endian, then a msgpack map.
fn receive(stream: &mut impl Read) -> Result<FromArena, End> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    if length > LONGEST_FRAME {
        return Err(End::Refused(format!(
            "a frame of {length} bytes was announced, {LONGEST_FRAME} are allowed: is this an arena?"
        )));
    }
    let mut frame = vec![0; length as usize];
    stream.read_exact(&mut frame)?;
    rmp_serde::from_slice(&frame).map_err(|error| End::Refused(format!("a frame of the arena cannot be read: {error}")))
}

/// Write a frame at once. Never put a float into a message: the arena refuses it.
fn send(stream: &mut dyn Stream, answer: &FromBot) -> Result<(), End> {
    let body = rmp_serde::to_vec_named(answer)
        .map_err(|error| End::Refused(format!("my answer cannot be written: {error}")))?;
    let mut frame = (body.len() as u32).to_be_bytes().to_vec();
    frame.extend(body);
    Ok(stream.write_all(&frame)?)
}

fn main() {
    let [address, name, token] = ["ARENA_ADDRESS", "ARENA_NAME", "ARENA_TOKEN"].map(|variable| {
        env::var(variable).unwrap_or_else(|_| {
            eprintln!(
                "{variable} is not set: let the arena start this bot, as in: \
                 arena run --bot rust=\"...\" --bot ... (see README.md)"
            );
            process::exit(1)
        })
    });
    let mut bot = Bot {
        address,
        name,
        token,
        is_welcome: false,
        resume_key: None,
        grace: Duration::ZERO,
        shares: HashMap::new(),
    };
    let (mut give_up, mut pause) = (Instant::now(), FIRST_PAUSE);
    while let Err(end) = bot.session() {
        if bot.is_welcome {
            (give_up, pause) = (Instant::now() + bot.grace, FIRST_PAUSE); // the grace begins
        }
        match end {
            End::Lost(sentence) if Instant::now() < give_up => {
                eprintln!("{sentence}; connecting again")
            }
            End::Lost(sentence) | End::Refused(sentence) => {
                eprintln!("{sentence}");
                process::exit(1)
            }
        }
        thread::sleep(pause);
        pause = LONGEST_PAUSE.min(2 * pause);
    }
}
