/* The rules of vasa (docs/rules.md). */
#ifndef VASA_H
#define VASA_H

#include "msgpack.h"

enum { MOST_DICE = 4 };

/* Takes over the memory that the search needs, so that it does not do so while the arena is being measured. */
void reserve(void);

/* Takes over the position of a turn. */
void set_up(struct reader position);

/* Works out every legal turn of a roll and writes the moves of one of them; gives their number. */
int choose(int first, int second, int moves[MOST_DICE][2]);

#endif
