#!/bin/sh
# A bot in plain shell: no msgpack, no JSON library, nothing but what every POSIX shell has. `arena adapter stdio` gives it
# every message as a line of JSON. It answers those of type "turn" with a legal turn at random.

seed=$$

# chance N sets $number to one of 0 .. N-1. The upper digits are the better ones of this generator.
chance() {
    seed=$(( (seed * 1103515245 + 12345) % 2147483648 ))
    number=$(( seed / 65536 % $1 ))
}

# count_turns LINE sets $turns to how many turns its "legal" lists: each of them, even a pass, ends with "]]" or is "[]".
count_turns() {
    rest=${1#*'"legal":['}
    turns=0
    while [ "$rest" != "${rest#*']]'}" ]; do
        rest=${rest#*']]'}
        turns=$(( turns + 1 ))
    done
}

while IFS= read -r line; do
    case $line in
        '{"type":"turn",'*)
            count_turns "$line"
            chance "$turns"
            echo "{\"choice\":$number}"
            ;;
    esac
done
