// The messages of wire protocol 1. Made from its JSON Schema by python -m tests.generators.make_types; do not edit.

/** The whole position, from the side of the bot that is to move. Some rulesets add fields. */
export type Position = TablesPosition | BrandubhPosition;

/** Of all games but Brandubh: points[0] is my point 1, positive counts are mine; bar and off are [mine, theirs]. */
export interface TablesPosition {
  points: number[];
  bar: [number, number];
  off: [number, number];
  board?: undefined;
}

/** Seven rows of seven letters, from rank 7 down: b and w warriors, k the king, . an empty square. */
export interface BrandubhPosition {
  board: string[];
  to_move: "black" | "white";
  points?: undefined;
}

export type FromArena =
  | Hello
  | Welcome
  | Joined
  | MatchStart
  | MatchReveal
  | Break
  | GameStart
  | Call
  | Turn
  | Rejected
  | GameEnd
  | MatchEnd
  | Error
  | Ping
  | Pong
  | Bye;

export type FromBot =
  | Login
  | Join
  | MatchReady
  | MatchEntropy
  | GameReady
  | Confirm
  | Called
  | Play
  | Error
  | Ping
  | Pong
  | Bye;

/**
 * A break before a game: no clock runs, and nothing is rolled. The bot answers `game_ready` when it is ready.
 * `number` is the game that follows. It begins in `left_ms` at the latest, and earlier when every connected bot
 * that asked for breaks is ready. Only sent to a bot that wants it, and again when it has come back.
 */
export interface Break {
  type: "break";
  match: string;
  number: number;
  left_ms: number;
}

/**
 * The last word of either side on a connection that ends in good order. A bot that says it gives up the matches
 * it plays.
 */
export interface Bye {
  type: "bye";
  reason?: string;
}

/**
 * The bot has a choice of dice (B11.3): how many does it call for? The clock of its turn is already running.
 * `dice` lists the numbers it may call for. The other fields are those of the `turn` that follows its answer.
 * Only sent to a bot that wants it; any other bot rolls the usual number.
 */
export interface Call {
  type: "call";
  game: number;
  turn: number;
  dice: number[];
  position: Position;
  clock: TurnClock;
  last?: Last | null;
}

/** The bot's answer to a call: how many dice to roll for its turn. */
export interface Called {
  type: "call";
  game: number;
  turn: number;
  dice: number;
}

/**
 * Time that a bot may think: `delay_ms` free for every turn, then `bank_ms` for the whole game. `increment_ms`
 * is added to the bank after each turn of the bot.
 */
export interface ClockTerms {
  delay_ms: number;
  bank_ms: number;
  increment_ms?: number;
}

/**
 * The bot confirms the receipt of a game that has ended, or objects to it. `lines` is repeated from the receipt.
 * Exactly one of `signature` and `objection` is given: the Ed25519 signature of the receipt (docs/receipts.md),
 * from a bot with a public key; or why the bot does not agree.
 */
export interface Confirm {
  type: "confirm";
  match: string;
  lines: number;
  signature?: Uint8Array | null;
  objection?: string;
}

/**
 * The other side sent something that cannot be accepted. `code` is a stable word for programs, `message` is a
 * sentence for people. After a fatal error the sender closes the connection. `game` and `turn` repeat those of
 * the rejected message, if it was about a turn.
 */
export interface Error {
  type: "error";
  code: string;
  message: string;
  fatal: boolean;
  game?: number | null;
  turn?: number | null;
}

/**
 * A game is over, from this bot's view; its number `game` is no longer valid. `ending` is how it ended (a stable
 * word) by rule `clause`; `monk` tells whether the loser had a checker on the bar where that counts. `points` is
 * what the game was worth to its winner. `score` is the match so far, mine first. `cause` is why a game was
 * forfeited: `time`, `illegal_turns`, `disconnect`, `no_show` or `no_reveal`; else empty. `last` is the turn
 * that ended the game, if the opponent played it. `receipt` is of the record up to this end; a bot with a public
 * key answers it with `confirm`.
 */
export interface GameEnd {
  type: "game_end";
  game: number;
  match: string;
  number: number;
  result: "drawn" | "lost" | "void" | "won";
  ending: string;
  clause: string;
  monk: boolean;
  points: number;
  score: [number, number];
  cause?: string;
  last?: Last | null;
  receipt?: Receipt | null;
}

/** The bot is ready for the next game of a match; `match` and `number` are those of `break`. */
export interface GameReady {
  type: "game_ready";
  match: string;
  number: number;
}

/**
 * A game of a match begins. `game` is a small number that means this game on this connection until its
 * `game_end`. `number` counts the games of the match from 1. `seat` may differ from that of `match_start` when
 * seats are swapped between games. `starts` tells whether this bot moves first.
 */
export interface GameStart {
  type: "game_start";
  game: number;
  match: string;
  number: number;
  seat: 1 | 2;
  starts: boolean;
}

/**
 * The arena's first word on every connection. `server` names the program and its version, for people. `nonce` is
 * random and different on every connection.
 */
export interface Hello {
  type: "hello";
  protocol?: number;
  server: string;
  nonce: Uint8Array;
}

/**
 * The answer to `hello` of a bot that has no account yet: it asks a venue for one. `name` is its id there,
 * `display` its name on screens (by default the id). `invite` is the code that the operator gave it, if the
 * venue needs one. The code is never shown.
 */
export interface Join {
  type: "join";
  protocol: number;
  name: string;
  invite?: string | null;
  display?: string;
}

/**
 * The bot has an account. This is the last message on the connection; it logs in on another. `token` is the
 * secret for every later login; the arena keeps only its hash and cannot tell it again. `page` is the address of
 * the bot's page, empty if the venue has none.
 */
export interface Joined {
  type: "joined";
  name: string;
  token: string;
  page?: string;
}

/** The opponent's last turn: its dice and moves, in its own numbering of the points. */
export interface Last {
  dice: number[];
  moves: [number | string, number | string][];
}

/**
 * Limits of a connection, and how long the bot may be without one. The longest payload a bot may send, and the
 * most unanswered turns it gets; `grace_ms` is how long after a connection was lost it may come back, 0 if it
 * may not.
 */
export interface Limits {
  frame_bytes: number;
  window: number;
  grace_ms?: number;
}

/**
 * The bot's answer to `hello`: who it is and how it wants to be served. `window` is the most turns (1-256) it
 * wants to have unanswered at once. `wants` lists extras (`legal`: send all legal turns with every turn; `call`:
 * ask for the number of dice where there is a choice; `break`: wait between two games until the bot is ready).
 * `fingerprint` is free text that identifies the build. `public_key` is the Ed25519 key (32 bytes) by which it
 * signs receipts, if it does. `resume` repeats the `resume_key` of a connection that was lost. The token and
 * that key are never shown. `matches` is how many matches of a ladder it plays at once. `kind` says that a
 * person or an agent answers.
 */
export interface Login {
  type: "login";
  protocol: number;
  name: string;
  version?: string;
  token: string;
  window?: number;
  wants?: string[];
  fingerprint?: string;
  resume?: string | null;
  public_key?: Uint8Array | null;
  matches?: number;
  kind?: "agent" | "person" | null;
}

/**
 * A match is over, from this bot's view. `score` is mine first. With `dice_seed` (32 bytes) and `entropies` (of
 * seats 1 and 2) the bot can check the commitments and every roll. `entropies` is missing if the match ended
 * before both were revealed. `receipt` is of the whole record of the match.
 */
export interface MatchEnd {
  type: "match_end";
  match: string;
  result: "drawn" | "lost" | "void" | "won";
  score: [number, number];
  dice_seed?: Uint8Array | null;
  entropies?: [Uint8Array, Uint8Array] | null;
  receipt?: Receipt | null;
}

/** The bot reveals its entropy: 0-32 bytes of its own choice; their SHA-256 was committed to. */
export interface MatchEntropy {
  type: "match_entropy";
  match: string;
  entropy: Uint8Array;
}

/**
 * The bot is ready for the match, and commits to its entropy, which is mixed into every roll. `commitment` is
 * the SHA-256 of the entropy, of these bytes and nothing else (32 bytes). A bot that leaves it out adds no
 * entropy, and is not asked to reveal any.
 */
export interface MatchReady {
  type: "match_ready";
  match: string;
  commitment?: Uint8Array | null;
}

/**
 * Both bots are ready: the bot is to reveal the entropy it committed to, with `match_entropy`.
 * `opponent_commitment` is what the opponent has committed to, missing if it adds no entropy.
 */
export interface MatchReveal {
  type: "match_reveal";
  match: string;
  opponent_commitment?: Uint8Array | null;
}

/**
 * A match is about to begin; the bot answers with `match_ready`, each time it is told of it. `ruleset` is the
 * whole value: its name, its hash and all its fields. `games` is how many games the match has; `form` is how
 * they are played: one after the other, or two at once with the same dice. `rejections` is how many illegal
 * turns are forgiven in each game before one forfeits it. `dice_commitment` is the SHA-256 of the dice seed (32
 * bytes), fixed before either bot adds entropy. `attempt` counts how often the match was started, with other
 * dice each time: it is more than 1 after void attempts.
 */
export interface MatchStart {
  type: "match_start";
  match: string;
  ruleset: Record<string, unknown>;
  games: number;
  seat: 1 | 2;
  opponent: Opponent;
  clock: ClockTerms;
  rejections: number;
  dice_commitment: Uint8Array;
  form?: "pairs" | "series";
  attempt?: number;
}

/** The opponent: its name in the tournament and the version it logged in with. */
export interface Opponent {
  name: string;
  version: string;
}

/** A request for a sign of life, answered at once by `pong` with the same `data`. It never touches a clock. */
export interface Ping {
  type: "ping";
  data?: number;
}

/**
 * The bot's answer to a turn: the moves in the order played, or an index in the turn's `legal`. Exactly one of
 * `moves` (`[]` is a pass) and `choice` is given, unless `draw` is `accept`: then neither is. `info` is any
 * plain value to keep in the record; the opponent never sees it. `draw` is `offer` to offer a draw with the
 * turn, `accept` to accept the opponent's instead of a turn; both only in games that have draws by agreement.
 */
export interface Play {
  type: "play";
  game: number;
  turn: number;
  moves?: [number | string, number | string][] | null;
  choice?: number | null;
  info?: unknown;
  draw?: "accept" | "offer" | null;
}

/** The answer to `ping`, with its `data`. */
export interface Pong {
  type: "pong";
  data?: number;
}

/**
 * Receipt for the record of a match: the SHA-256 of its first `lines` lines. Each line counts with its line
 * feed.
 */
export interface Receipt {
  lines: number;
  sha256: Uint8Array;
}

/**
 * The answer was an illegal turn; the same turn is open again, and its clock has not stopped. `clause` is the
 * rule it breaks (`B4.3`), `message` one sentence saying what was wrong and what would be legal. `values` has
 * what that sentence names, for bots that word it themselves (docs/protocol.md). `left` is how many more illegal
 * turns are forgiven in this game; -1 means that this was one too many and the game is forfeited, so the arena
 * expects no other answer. `legal_turns` is how many are legal.
 */
export interface Rejected {
  type: "rejected";
  game: number;
  turn: number;
  code: string;
  clause: string;
  message: string;
  left: number;
  legal_turns?: number | null;
  values?: Record<string, unknown>;
}

/**
 * It is the bot's turn; its clock runs from the moment this is written. `dice` is empty in games without dice.
 * `position` is the whole position from the mover's view, so that a bot need not remember anything. `last` is
 * missing if the opponent has not moved yet. `legal` lists all distinct legal turns and is only sent to a bot
 * that wants it. `draw_offered` says that the opponent offered a draw with its last turn; the bot may accept it
 * instead of playing.
 */
export interface Turn {
  type: "turn";
  game: number;
  turn: number;
  dice: number[];
  position: Position;
  clock: TurnClock;
  last?: Last | null;
  legal?: [number | string, number | string][][] | null;
  draw_offered?: boolean;
}

/**
 * The clocks as this is written: both banks, the bot's own last turn, and the delay. `left_ms` and
 * `opponent_left_ms` are what is left of the banks of the bot and its opponent. `spent_ms` is what the bot's own
 * last turn took. `delay_left_ms` is what is left of the delay: all of it for a new turn, less for one that is
 * sent again, and for the turn after a call.
 */
export interface TurnClock {
  left_ms: number;
  opponent_left_ms: number;
  spent_ms: number;
  delay_left_ms: number;
}

/**
 * The arena accepts the login. `session` names the connection in the arena's logs. `resume_key` is a secret for
 * `resume` in a later login, until the next `welcome` gives another.
 */
export interface Welcome {
  type: "welcome";
  session: string;
  resume_key: string;
  limits: Limits;
}
