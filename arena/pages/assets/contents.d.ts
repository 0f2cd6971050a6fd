// What the pages get from the arena, and send to it: made from the structs of arena.pages by
// `python -m tests.generators.make_page_types`.

/** The whole page. */
export type Report = {
  run: RunPage;
  crosstable: Meeting[][][];
  pairings: PairingsPage;
  matches: MatchPage[];
  bots: BotPage[];
  featured: Featured | null;
  figures: Figures;
};

/** The head of the run and its standings. */
export type RunPage = {
  name: string;
  ruleset: string;
  format: string;
  terms: Terms;
  board: Board;
  counted: number;
  scheduled: number;
  settled: number;
  is_finished: boolean;
  outcome: Said[];
  shape: "boards" | "bracket" | "crosstable" | "rounds";
  started_ms: number;
  latest_ms: number;
  delay_ms: number;
  names: Record<string, string>;
  columns: [string, string][];
  tie_breaks: Said[];
  notes: Said[];
  contained: Said[];
  head: Said[];
  entrants: TableRow[];
  broken: Said | string;
};

/** Terms that the two entrants of a match agreed to. */
export type Terms = {
  form: "pairs" | "series";
  games: number;
  clock: TimeControl;
  rejections: number;
  turn_limit: number;
  startup_ms: number;
};

/** Time that each bot has, with the same fields in tournament files, records and on the wire. */
export type TimeControl = {
  delay_ms: number;
  bank_ms: number;
  increment_ms: number;
};

/** The board on which positions are drawn: each is a short text, always seen from seat 1. */
export type Board = {
  kind: "brandubh" | "tables" | "text";
  facing: string;
  remembers: string[];
  colours: string[];
};

/** A code of the catalogues with values for its sentence. */
export type Said = [code: string, values: Record<string, unknown>];

/** An entrant in the standings. */
export type TableRow = {
  id: string;
  name: string;
  place: number | null;
  is_shared?: boolean;
  moved?: number;
  withdrawal: string;
  cells: (Said | string)[];
};

/** One match for the entrant of the row: its game points, the opponent's, and the outcome. */
export type Meeting = [
  points_for: number,
  points_against: number,
  outcome: "annulled" | "drawn" | "lost" | "void" | "won",
];

/** The pairings of a run: rounds or boards, by the shape of the run. */
export type PairingsPage = {
  rounds: RoundOfPairings[];
  boards: ChallengerBoard[];
};

/** A round of a bracket, from top to bottom, or of a Swiss tournament. */
export type RoundOfPairings = {
  number: number;
  pairings: Pairing[];
};

/** A match of two entrants, or a place in a round without one. */
export type Pairing = {
  state: "annulled" | "bye" | "dropped" | "open" | "played" | "under way" | "undrawn" | "void";
  entrants: [string, string];
  fixture?: string;
  games?: [number, number];
  points?: [number, number];
  played?: number;
  winner?: number;
};

/** A challenger of a gauntlet against everybody else. */
export type ChallengerBoard = {
  challenger: string;
  rows: OpponentRow[];
};

/** A challenger's results against an opponent. */
export type OpponentRow = {
  opponent: string;
  matches: Pairing[];
  points: [number, number];
  mean: number | null;
  left: number;
};

/** An attempt at a match: how it stands, and games of it to play through. */
export type MatchPage = {
  link: string;
  fixture: string;
  attempt: number;
  attempts: number;
  entrants: [string, string];
  versions: [string, string];
  state: "annulled" | "settled" | "under way" | "void";
  is_over: boolean;
  void?: Said | string;
  score: [number, number];
  outcome: Said;
  games: GameLine[];
  left_out?: number;
  shown: ReplayedGame[];
  current?: number;
  key?: string;
  commitment: string;
  seed: string;
  broken?: Said | string;
};

/** A game in the list of a match; without a result while it is played. */
export type GameLine = {
  game: number;
  result?: Result | null;
  turns?: number | null;
};

/** Result of a game: won or drawn over the board, by agreement or turn limit, or forfeited. */
export type Result = {
  winner: 1 | 2 | null;
  ending: string;
  clause: string;
  points: number;
  monk: boolean;
  rank: number | null;
  cause: "disconnect" | "illegal_turns" | "no_reveal" | "no_show" | "time" | null;
};

/** A game that can be played through, as far as it is played. */
export type ReplayedGame = {
  number: number;
  starter: number;
  opening: string;
  start: string;
  steps: ShownStep[];
  ended: GameEnded | null;
  why: Said | string;
  analysis: GameAnalysis | null;
};

/** An event in a game; encoded as an array, since there are many. */
export type ShownStep = [
  kind:
    | "call"
    | "draw"
    | "event"
    | "extended"
    | "flag"
    | "left"
    | "missing"
    | "rejected"
    | "resumed"
    | "returned"
    | "turn",
  at: string,
  seat: number,
  dice: string,
  text: Said | string,
  spent_ms: number,
  left_ms: number,
  position: string,
  more: Record<string, unknown> | null,
];

/** A game is over. */
export type GameEnded = {
  event: "game_ended";
  v: 1;
  at_ms: number;
  game: number;
  turns: number;
  result: Result;
  score: [number, number];
};

/** Course of a game, as an evaluator sees it. */
export type GameAnalysis = {
  start: number;
  turns: JudgedTurn[];
  calls: JudgedCall[];
};

/** Judgement of the analysis on a turn that was played; encoded as an array. */
export type JudgedTurn = [
  turn: number,
  value: number,
  loss: number,
  mark: string,
  best: string,
  best_value: number,
  luck: number,
  choices: number,
];

/** Judgement of the analysis on a call for dice (B11.3). */
export type JudgedCall = [turn: number, loss: number, mark: string, best: string];

/** A bot with its history; rows by the names of their columns, as `index.py` asks for them. */
export type BotPage = {
  row: TableRow;
  against: Record<string, unknown>[];
  endings: Record<string, unknown>[];
  matches: Record<string, unknown>[];
  found: number;
  versions: string[];
  running: string[];
};

/** The game that the page opens with. */
export type Featured = {
  link: string;
  game: number;
  why: Said;
};

/** Everything that is counted over the whole run. */
export type Figures = {
  unit: string;
  superior: (number | null)[][];
  endings: Said[];
  causes: string[];
  time_limits_ms: number[];
  incidents: Incident[];
  incidents_left_out: number;
  audit: Audit;
  analysis: PlayAnalysis | null;
};

/** A forfeit, a rejected turn or a lost connection, with its place in the page. */
export type Incident = {
  kind: "forfeit" | "left" | "missing" | "rejected";
  link: string;
  game: number;
  at: string;
  entrant: string;
  label: Said | string;
  text: Said | string;
};

/** The result of checking every record again. */
export type Audit = {
  state: "in order" | "left out" | "not in order";
  sentence: Said | string;
  faces: number[];
  rolls: number;
  doubles: number;
  tests: [string, number | null, number | null, number][];
  verdict: Said | null;
};

/** Findings of `arena analyse`, as far as they fit the records. */
export type PlayAnalysis = {
  evaluator: string;
  plies: number[];
  analysed: number;
  matches: number;
  losses: LossSummary[];
  costliest: RemarkableMoment[];
  luckiest: RemarkableMoment | null;
  luck: LuckTakenOut | null;
};

/** Losses of an entrant by its decisions, and its luck, in the matches that are analysed. */
export type LossSummary = {
  entrant: string;
  games: number;
  decisions: number;
  means: (number | null)[];
  marks: number[];
  luck: number;
  luck_per_game: number | null;
};

/** A turn or a roll that stands out, with its place in the page. */
export type RemarkableMoment = {
  link: string;
  game: number;
  at: string;
  entrant: string;
  dice: string;
  points: number;
  played: string;
  best: string;
};

/** The results with the luck of the dice taken out. */
export type LuckTakenOut = {
  source: Said;
  entrants: [string, EntrantLuck, number | null][];
  matches: MatchLuck[];
  notes: Said[];
};

/** An entrant: points a game as played and with the luck taken out, each with its interval. */
export type EntrantLuck = {
  given: number;
  raw: PointsPerGame;
  adjusted: PointsPerGame;
};

/** Points that an entrant wins per game on average; below 0 if it loses more. */
export type PointsPerGame = {
  mean: number;
  margin: number | null;
};

/** A match in points of its first entrant less those of the second. */
export type MatchLuck = {
  fixture: string;
  first: string;
  second: string;
  raw: number;
  given: number;
  adjusted: number;
  unadjusted: number;
};

/** Everything that the first page begins with. */
export type Overview = {
  run: RunPage;
  running: SmallBoard[];
  more_running: number;
  has_chances: boolean;
  games: FinishedGames;
};

/** A match that is being played, as the overview shows it on a card. */
export type SmallBoard = {
  fixture: string;
  entrants: [string, string];
  games: number;
  score: [number, number];
  game: number;
  starter: number;
  turn: number;
  position: string;
  before: string;
  last: LastTurn | null;
  pips?: number[];
  bar?: number[];
  room?: number[];
  chance?: number | null;
  is_over?: boolean;
  broken?: Said | string;
};

/** The turn that was played last; encoded as an array. */
export type LastTurn = [seat: number, dice: string, text: Said | string];

/** A part of the list of finished games. */
export type FinishedGames = {
  rows: GameOnPage[];
  found: number;
};

/** A row in the list of finished games. */
export type GameOnPage = {
  fixture: string;
  game: number;
  entrants: [string, string];
  winner: number;
  points: number;
  ending: string;
  cause?: string;
  monk?: boolean;
  turns?: number | null;
  annulled?: boolean;
};

/** A part of the list of runs. */
export type RunsPage = {
  rows: RunInList[];
  found: number;
  unread: number;
  is_looking: boolean;
  left_out: number;
  delay_ms: number;
};

/** A run in the list of a folder of runs. */
export type RunInList = {
  folder: string;
  name: string;
  ruleset: string;
  format: string;
  state: "finished" | "not started" | "under way" | "unreadable";
  outcome: Said | null;
  started_ms: number;
  latest_ms: number;
  settled: number;
  scheduled: number;
  trouble: Said | string;
};

/** The first page of a venue. */
export type VenuePage = {
  name: string;
  names: Record<string, string>;
  announcement: Announced | null;
  paused: Said | null;
  trouble: Said | string;
  joining: "closed" | "invite" | "open";
  door: string;
  ladders: LadderTable[];
  cups: CupInVenue[];
  now: RunInVenue[];
  delay_ms: number;
};

/** The operator says something to everybody; an empty text takes back what was said before. */
export type Announced = {
  event: "announced";
  v: 1;
  at_ms: number;
  text: string;
};

/** The table of a ladder, in three parts. */
export type LadderTable = {
  ladder: string;
  run: string;
  placed: RatedBot[];
  provisional: RatedBot[];
  anchors: RatedBot[];
  more: number;
  away: number;
};

/** A version of a bot, as its ladder rates it; the index keeps it for each day. */
export type RatedBot = {
  entrant: string;
  bot: string;
  version: number;
  elo: number;
  error: number;
  units: number;
  matches: number;
  forfeits: number;
  is_house: boolean;
  is_anchor: boolean;
  is_frozen: boolean;
  is_there: boolean;
  seen_ms: number;
  rests_until_ms: number;
  parent: number;
  gain: number | null;
  gain_error: number | null;
  part: string;
  place: number;
};

/** A cup: when it comes, and how it ended last. */
export type CupInVenue = {
  cup: string;
  ladder: string;
  best: number;
  next_ms: number | null;
  last: RunInVenue | null;
};

/** A day of a ladder, or a cup that was played or left out. */
export type RunInVenue = {
  kind: "cup" | "ladder";
  name: string;
  at_ms: number;
  run?: string;
  why_left_out?: string;
  row?: RunInList | null;
};

/** A ladder with its days. */
export type LadderPage = {
  names: Record<string, string>;
  table: LadderTable;
  days: RunInVenue[];
};

/** A cup with every time it was due. */
export type CupPage = {
  cup: CupInVenue;
  times: RunInVenue[];
};

/** A bot of a venue, with its history. */
export type BotOfVenue = {
  bot: string;
  names: Record<string, string>;
  is_house: boolean;
  joined_ms: number;
  versions_ms: number[];
  ban: string | null;
  rests_until_ms: number;
  rest_why: string;
  ladders: BotInLadder[];
  matches: MatchOfBot[];
};

/** A bot in one ladder. */
export type BotInLadder = {
  ladder: string;
  row: RatedBot;
  versions: RatedBot[];
  course: RatingPoint[];
  against: AgainstBot[];
  forfeits: ForfeitsByCause[];
};

/** The rating of a version at a time. */
export type RatingPoint = {
  at_ms: number;
  version: number;
  elo: number;
  error: number;
};

/** The matches of a bot against another one, on all days. */
export type AgainstBot = {
  opponent: string;
  matches: number;
  won: number;
  drawn: number;
  lost: number;
  points_for: number;
  points_against: number;
};

/** Games that a bot has forfeited. */
export type ForfeitsByCause = {
  cause: string;
  games: number;
};

/** A match of a bot, seen from it. */
export type MatchOfBot = {
  run: string;
  fixture: string;
  entrant: string;
  opponent: string;
  outcome: "drawn" | "lost" | "won";
  points_for: number;
  points_against: number;
  settled_ms: number;
  costly: CostlyTurn[] | null;
};

/** A turn of a match that cost much, by the word of the analysis. */
export type CostlyTurn = {
  game: number;
  turn: number;
  loss: number;
  mark: string;
  played: string;
};

/** Where a run stands in its venue. */
export type RunPlace = {
  venue: string;
  kind: "cup" | "ladder";
  name: string;
  before: string;
  after: string;
};

/** What has changed on the first page; fields without news are left out. */
export type News = {
  more_running: number;
  run?: RunPage;
  games?: FinishedGames;
  boards?: SmallBoard[];
  chances?: Record<string, number>;
  gone?: string[];
  trouble?: Said;
};

/** Change made by one line of the record; live pages apply it to what they show. */
export type Change = {
  kind: "bot" | "ended" | "game" | "opened" | "over" | "step";
  game: number;
  steps?: ShownStep[];
  started?: ReplayedGame;
  ended?: GameEnded;
  why?: Said | string;
  outcome?: Said;
  versions?: [string, string];
  void?: Said | string;
};

/** The whole state of the page. */
export type PageState = {
  version: number;
  status: "choosing" | "lesson" | "playing" | "starting";
  failure: Said | string;
  me: string;
  opponent: string;
  strength: string;
  table: AtTheBoard | null;
  over: MatchOver | null;
  no_hints: Said | string;
  lesson: string;
  judged: "missed" | "open" | "reached";
  step: number;
  is_clean: boolean;
  role: "entrant" | "guest" | "host";
  invitation: string;
  is_away: boolean;
  in_tournament: InTournament | null;
  match: string;
};

/** The board and the turn, as the person has them. */
export type AtTheBoard = {
  phase: string;
  question: string;
  ruleset: string;
  board: Board;
  seat: 1 | 2;
  colour: string;
  game: number;
  games: number;
  position: string;
  before: string;
  dice: number[];
  dice_left: number[];
  moves: (number | string)[][];
  text: string;
  next: Turned[];
  far: Turned[];
  whole: [(number | string)[][], string][];
  only: (number | string)[][] | null;
  is_whole: boolean;
  worth: number | null;
  pass_clause: string;
  calls: number[];
  can_offer_draw: boolean;
  is_draw_offered: boolean;
  left_ms: number | null;
  clocks: Clocks;
  log: PlayedTurn[];
  theirs: Shown | null;
  score: number[];
  over: ClosedGame[];
};

/** One checker that may be moved: from where to where, and what stands there. */
export type Turned = {
  start: number | string;
  target: number | string;
  text: string;
};

/** The banks of both sides, in milliseconds. */
export type Clocks = {
  mine_ms: number;
  theirs_ms: number;
  bank_ms: number;
  delay_ms: number;
};

/** A turn of the game so far, for people. */
export type PlayedTurn = {
  is_mine: boolean;
  dice: number[];
  text: string;
  hits: number;
  strikes: number;
};

/** A turn of the opponent, to be played on the page. */
export type Shown = {
  before: string;
  position: string;
  dice: number[];
  text: string;
  number: number;
};

/** A game that is over, with its last turn. */
export type ClosedGame = {
  game: GameOver;
  before: string;
  position: string;
  log: PlayedTurn[];
  colour: string;
};

/** A game that has ended, from the person's view. */
export type GameOver = {
  number: number;
  result: string;
  ending: string;
  clause: string;
  monk: boolean;
  points: number;
  score: number[];
  why: Said | null;
};

/** The match after its end. */
export type MatchOver = {
  result: string;
  why_left: Said | null;
  dice_problems: Said[] | null;
  is_settled: boolean;
  is_judged: boolean;
  costliest: DecisionRow[] | null;
  folder: string;
};

/** A turn, or a call for dice (B11.3), and what it cost by the word of an evaluator. */
export type DecisionRow = {
  file: string;
  line: number;
  at_ms: number;
  match: string;
  attempt: number;
  ruleset: string;
  game: number;
  turn: number;
  seat: 1 | 2;
  bot: string;
  opponent: string;
  dice: number[];
  annulled: boolean;
  kind: "call" | "turn";
  played: string;
  best: string;
  value: number;
  best_value: number;
  loss: number;
  mark: "bad" | "blunder" | "doubtful" | null;
  choices: number;
  forced: boolean;
  phase: "contact" | "race";
  evaluator: string;
  plies: number;
};

/** A tournament that the person plays in. */
export type InTournament = {
  name: string;
  next_opponent: string;
  may_follow: boolean;
  is_expected: boolean;
  decided: number;
  is_finished: boolean;
};

/** A match that was over some time ago, to be looked at once more. */
export type PastReview = {
  match: PlayedMatch;
  seat: number;
  costliest: DecisionRow[] | null;
};

/** The match that is over, to be played through. */
export type PlayedMatch = {
  names: [string, string];
  board: Board;
  clock: TimeControl;
  games: ReplayedGame[];
};

/** A match of the person, over or not. */
export type PastMatch = {
  run: string;
  record: string;
  entrant: string;
  seat: number;
  opponent: string;
  ruleset: string;
  score: number[];
  result: "drawn" | "lost" | "open" | "won";
  began_ms: number;
};

/** Something that the person does. */
export type Act = {
  do:
    | "accept_draw"
    | "answer"
    | "call"
    | "confirm"
    | "hint"
    | "move"
    | "next"
    | "ready"
    | "resign"
    | "turn"
    | "undo"
    | "begin"
    | "choose"
    | "learn"
    | "rematch"
    | "resume";
  tab: string;
  question?: string;
  moves?: [number | string, number | string][];
  dice?: number;
  offers_draw?: boolean;
  opponent?: string;
  ruleset?: string;
  options?: string[];
  games?: 3 | 5 | 7;
  run?: string;
  lesson?: string;
  step?: number;
  number?: number;
  names?: [string, string];
};
