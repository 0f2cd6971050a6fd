// What the pages get from the arena, and send to it: made from the structs of arena.pages by
// `python -m tests.generators.make_page_types`.

export type Report = {
  run: RunPage;
  crosstable: (((Meeting)[])[])[];
  pairings: PairingsPage;
  matches: (MatchPage)[];
  bots: (BotPage)[];
  featured: Featured | null;
  figures: Figures;
};

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
  outcome: (Said)[];
  shape: "boards" | "bracket" | "crosstable" | "rounds";
  begun_ms: number;
  latest_ms: number;
  delay_ms?: number;
  names: Record<string, string>;
  columns: ([(string), (string)])[];
  tie_breaks: (Said)[];
  notes: (Said)[];
  contained: (Said)[];
  head?: (Said)[];
  entrants: (TableRow)[];
  broken?: Said | string;
};

export type Terms = {
  form?: "pairs" | "series";
  games: number;
  clock: TimeControl;
  rejections: number;
  turn_limit: number;
  startup_ms: number;
};

export type TimeControl = {
  delay_ms?: number;
  bank_ms?: number;
  increment_ms?: number;
};

export type Board = {
  kind: "brandubh" | "tables" | "text";
  facing?: string;
  remembers?: (string)[];
  colours?: (string)[];
};

export type Said = [(string), (Record<string, any>)?];

export type TableRow = {
  id: string;
  name: string;
  place?: number | null;
  is_shared?: boolean;
  withdrawal?: string;
  cells: (Said | string)[];
};

export type Meeting = [(number), (number), ("annulled" | "drawn" | "lost" | "void" | "won")];

export type PairingsPage = {
  rounds: (RoundOfPairings)[];
  boards: (ChallengerBoard)[];
};

export type RoundOfPairings = {
  number: number;
  pairings: (Pairing)[];
};

export type Pairing = {
  state: "annulled" | "bye" | "dropped" | "open" | "played" | "under way" | "undrawn" | "void";
  entrants: [(string), (string)];
  fixture?: string;
  games?: [(number), (number)];
  points?: [(number), (number)];
  played?: number;
  winner?: number;
};

export type ChallengerBoard = {
  challenger: string;
  rows: (OpponentRow)[];
};

export type OpponentRow = {
  opponent: string;
  matches: (Pairing)[];
  points: [(number), (number)];
  mean: number | null;
  left: number;
};

export type MatchPage = {
  link: string;
  fixture: string;
  attempt: number;
  attempts: number;
  entrants: [(string), (string)];
  versions: [(string), (string)];
  state: "annulled" | "settled" | "under way" | "void";
  is_over: boolean;
  void?: Said | string;
  score: [(number), (number)];
  decision?: Said | null;
  games: (GameLine)[];
  left_out?: number;
  shown: (ReplayedGame)[];
  current?: number;
  key?: string;
  commitment: string;
  seed: string;
  broken?: Said | string;
};

export type GameLine = {
  game: number;
  result?: Result | null;
  turns?: number | null;
};

export type Result = {
  winner: 1 | 2 | null;
  ending: string;
  clause: string;
  points: number;
  monk?: boolean;
  rank?: number | null;
  cause?: "disconnect" | "illegal_turns" | "no_reveal" | "no_show" | "time" | null;
};

export type ReplayedGame = {
  number: number;
  starter: number;
  opening: string;
  start: string;
  steps: (ShownStep)[];
  ended?: GameEnded | null;
  why?: Said | string;
  analysis?: GameAnalysis | null;
};

export type ShownStep = [("call" | "draw" | "event" | "extended" | "flag" | "left" | "missing" | "rejected" | "resumed" | "returned" | "turn"), (string), (number), (string), (Said | string), (number), (number), (string), (Record<string, any> | null)?];

export type GameEnded = {
  event: "game_ended";
  v?: 1;
  at_ms: number;
  game: number;
  turns: number;
  result: Result;
  score: [(number), (number)];
};

export type GameAnalysis = {
  start: number;
  turns: (JudgedTurn)[];
  calls: (JudgedCall)[];
};

export type JudgedTurn = [(number), (number), (number), (string), (string), (number), (number), (number)];

export type JudgedCall = [(number), (number), (string), (string)];

export type BotPage = {
  row: TableRow;
  against: (Record<string, any>)[];
  endings: (Record<string, any>)[];
  matches: (Record<string, any>)[];
  found: number;
  versions: (string)[];
  running: (string)[];
};

export type Featured = {
  link: string;
  game: number;
  why: Said;
};

export type Figures = {
  unit: string;
  superior: ((number | null)[])[];
  endings: (Said)[];
  causes: (string)[];
  time_limits_ms: (number)[];
  incidents: (Incident)[];
  incidents_left_out: number;
  audit: Audit;
  analysis: PlayAnalysis | null;
};

export type Incident = {
  kind: "forfeit" | "left" | "missing" | "rejected";
  link: string;
  game: number;
  at: string;
  entrant: string;
  label: Said | string;
  text: Said | string;
};

export type Audit = {
  state: "in order" | "left out" | "not in order";
  sentence: Said | string;
  faces?: (number)[];
  rolls?: number;
  doubles?: number;
  tests?: ([(string), (number | null), (number | null), (number)])[];
  verdict?: Said | null;
};

export type PlayAnalysis = {
  evaluator: string;
  plies: (number)[];
  analysed: number;
  matches: number;
  losses: (LossSummary)[];
  costliest: (RemarkableMoment)[];
  luckiest: RemarkableMoment | null;
  luck: LuckTakenOut | null;
};

export type LossSummary = {
  entrant: string;
  games: number;
  decisions: number;
  means: (number | null)[];
  marks: (number)[];
  luck: number;
  luck_per_game: number | null;
};

export type RemarkableMoment = {
  link: string;
  game: number;
  at: string;
  entrant: string;
  dice: string;
  points: number;
  played?: string;
  best?: string;
};

export type LuckTakenOut = {
  source: Said;
  entrants: ([(string), (EntrantLuck), (number | null)])[];
  matches: (MatchLuck)[];
  notes: (Said)[];
};

export type EntrantLuck = {
  given: number;
  raw: PointsPerGame;
  adjusted: PointsPerGame;
};

export type PointsPerGame = {
  mean: number;
  margin: number | null;
};

export type MatchLuck = {
  fixture: string;
  first: string;
  second: string;
  raw: number;
  given: number;
  adjusted: number;
  unadjusted: number;
};

export type Overview = {
  run: RunPage;
  running: (SmallBoard)[];
  more_running: number;
  games: FinishedGames;
};

export type SmallBoard = {
  fixture: string;
  entrants: [(string), (string)];
  game: number;
  games: number;
  score: [(number), (number)];
  starter: number;
  turn: number;
  position: string;
  before: string;
  last: ShownStep | null;
  is_over: boolean;
  broken: Said | string;
};

export type FinishedGames = {
  rows: (GameOnPage)[];
  found: number;
};

export type GameOnPage = {
  fixture: string;
  attempt: number;
  game: number;
  entrants: [(string), (string)];
  winner: number;
  points: number;
  ending: string;
  cause: string;
  monk: boolean;
  turns: number | null;
  settled_ms: number;
  annulled: boolean;
};

export type Change = {
  kind: "bot" | "ended" | "game" | "opened" | "over" | "step";
  game?: number;
  steps?: (ShownStep)[];
  begun?: ReplayedGame;
  ended?: GameEnded;
  why?: Said | string;
  versions?: [(string), (string)];
  void?: Said | string;
};

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
  role: "entrant" | "guest" | "host";
  invitation: string;
  in_tournament: InTournament | null;
  match: string;
};

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
  dice: (number)[];
  dice_left: (number)[];
  moves: ((number | string)[])[];
  text: string;
  next: (Turned)[];
  whole: ([(((number | string)[])[]), (string)])[];
  only: ((number | string)[])[] | null;
  is_whole: boolean;
  worth: number | null;
  pass_clause: string;
  calls: (number)[];
  can_offer_draw: boolean;
  is_draw_offered: boolean;
  left_ms: number | null;
  log: (PlayedTurn)[];
  theirs: Shown | null;
  score: (number)[];
  over: (ClosedGame)[];
};

export type Turned = {
  start: number | string;
  target: number | string;
  text: string;
};

export type PlayedTurn = {
  is_mine: boolean;
  dice: (number)[];
  text: string;
  hits?: number;
  strikes?: number;
};

export type Shown = {
  before: string;
  position: string;
  dice: (number)[];
  text: string;
  number: number;
};

export type ClosedGame = {
  game: GameOver;
  before: string;
  position: string;
  log: (PlayedTurn)[];
  colour: string;
};

export type GameOver = {
  number: number;
  result: string;
  ending: string;
  clause: string;
  monk: boolean;
  points: number;
  score: (number)[];
  why?: Said | null;
};

export type MatchOver = {
  result: string;
  why_left: Said | null;
  dice_problems: (Said)[] | null;
  is_settled: boolean;
  is_judged: boolean;
  costliest: (DecisionRow)[] | null;
  folder: string;
};

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
  dice: (number)[];
  annulled?: boolean;
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

export type InTournament = {
  name: string;
  next_opponent: string;
  may_follow: boolean;
  is_expected: boolean;
  decided: number;
  is_finished: boolean;
};

export type Act = {
  do: "accept_draw" | "call" | "confirm" | "hint" | "move" | "next" | "ready" | "resign" | "turn" | "undo" | "begin" | "choose" | "learn" | "rematch";
  tab: string;
  question?: string;
  moves?: ([(number | string), (number | string)])[];
  dice?: number;
  offers_draw?: boolean;
  opponent?: string;
  ruleset?: string;
  options?: (string)[];
  games?: 3 | 5 | 7;
  lesson?: string;
  names?: [(string), (string)];
};
