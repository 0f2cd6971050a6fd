"""The words of the terminal in Swedish; the terms of the game are those of docs/glossary.md."""

from __future__ import annotations

from typing import Final

from arena.cli.play.help import HELP

SWEDISH: Final = {
    HELP: """\
  1/7 12/15     drag i den ordning de spelas (bar/5, 20/off; d1-c1 i brandubh); hela turen, eller ett i taget
  Enter         spelar turen när den är hel; också när du står över
  ångra         tar tillbaka det senaste draget
  ?             visar de tillåtna turerna
  tips          visar de bästa turerna (i bräde och backgammon med tillägget analysis)
  en, två       hur många tärningar du kastar, där reglerna låter dig välja (B11.3)
  remi, anta    erbjuder remi med turen, eller antar en (där reglerna har det)
  bräde         ritar brädet igen
  ge upp        lämnar matchen; de spel som är kvar går till motståndaren
  hjälp         visar det här
Ctrl-C avbryter matchen; `arena play MAPP` fortsätter den.""",
    "the arena starts, and tries out the opponent ...": "arenan startar, och provar motståndaren ...",
    "you play against {name}; help shows what you can type": "du spelar mot {name}; hjälp visar vad du kan skriva",
    "interrupted; go on with: {command}": "avbruten; fortsätt med: {command}",
    "{name} rolls {dice}: {turn}": "{name} kastar {dice}: {turn}",
    "the match is over for you: {why}": "matchen är slut för dig: {why}",
    "the match is over: you {mine} : {theirs} {name}": "matchen är slut: du {mine} : {theirs} {name}",
    "the dice were NOT as promised: {problems}": "tärningarna var INTE som utlovat: {problems}",
    "every roll was checked: the dice were fixed before you sat down (docs/dice.md)": "varje kast är kontrollerat: "
    "tärningarna var bestämda innan du satte dig (docs/dice.md)",
    "the record is in {folder}; look at it with: {command}": "protokollet ligger i {folder}; titta på det med: "
    "{command}",
    "your costliest turns, by the evaluator:": "dina dyraste turer, enligt värderaren:",
    "game {game} turn {turn}, {dice}: {played}; better {best} ({loss} points)": "spel {game} tur {turn}, {dice}: "
    "{played}; bättre {best} ({loss} poäng)",
    "one die or two (B11.3)?": "en tärning eller två (B11.3)?",
    "you roll {dice}: no die can be used, so you pass (B3.5); Enter:": "du kastar {dice}: ingen tärning kan användas, "
    "så du står över (B3.5); Enter:",
    "{turn}, which ends the game; Enter plays it:": "{turn}, som avslutar spelet; Enter spelar den:",
    "{turn}; Enter plays it:": "{turn}; Enter spelar den:",
    "{turn}, {dice} left:": "{turn}, {dice} kvar:",
    "you roll {dice}:": "du kastar {dice}:",
    "you roll {dice} (a draw is offered; accept takes it):": "du kastar {dice} (remi är erbjuden; anta tar den):",
    "your move:": "ditt drag:",
    "your move (a draw is offered; accept takes it):": "ditt drag (remi är erbjuden; anta tar den):",
    "no: {why}": "nej: {why}",
    "resign the match? yes resigns:": "ge upp matchen? ja ger upp:",
    "a draw is offered with this turn": "remi erbjuds med den här turen",
    "no draw is offered": "ingen remi erbjuds",
    "type your moves, such as {move}; ? shows the legal turns, help everything else": "skriv dina drag, som {move}; "
    "? visar de tillåtna turerna, hjälp allt annat",
    "type one or two: some single die would complete a handsome game (B11.3)": "skriv en eller två: en enda tärning "
    "kan fullborda ett vackert spel (B11.3)",
    "... {count} in all": "... {count} sammanlagt",
    "after {turn}: {moves}": "efter {turn}: {moves}",
    "after {turn}: nothing more": "efter {turn}: inget mer",
    "the evaluator would roll one die": "värderaren skulle kasta en tärning",
    "the evaluator would roll two dice": "värderaren skulle kasta två tärningar",
    "wins": "vinner",
    "loses": "förlorar",
    "1 captured": "1 tagen",
    "{count} captured": "{count} tagna",
    "1 hit": "1 slagen",
    "{count} hits": "{count} slagna",
    "1 strike": "1 sprängning",
    "{count} strikes": "{count} sprängningar",
    "game {number} is over: you win by forfeit, {points} ({clause})": "spel {number} är slut: du vinner utan avgörande "
    "på brädet, {points} ({clause})",
    "game {number} is over: you lose by forfeit, {points} ({clause})": "spel {number} är slut: du förlorar utan "
    "avgörande på brädet, {points} ({clause})",
    "game {number} is over: you win by {how} ({clause})": "spel {number} är slut: du vinner genom {how} ({clause})",
    "game {number} is over: you lose by {how} ({clause})": "spel {number} är slut: du förlorar genom {how} ({clause})",
    "game {number} is over: nobody wins by {how} ({clause})": "spel {number} är slut: ingen vinner, genom {how} "
    "({clause})",
    "score {mine} : {theirs}": "ställning {mine} : {theirs}",
}
"""Swedish by English; `{name}` stands for a value."""

COMMANDS: Final = {
    "hjälp": "help",
    "ångra": "undo",
    "tips": "hint",
    "en": "one",
    "två": "two",
    "remi": "draw",
    "anta": "accept",
    "bräde": "board",
    "ge upp": "resign",
    "stå över": "pass",
    "ja": "yes",
    "j": "yes",
}
"""What can be typed in Swedish, beside the English."""
