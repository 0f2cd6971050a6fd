#include "vasa.h"

#include <string.h>

#include "common.h"

/* What a turn can change fits into 128 bits, which are also what tells two results apart: the mover's checkers on the
 * slots 0 (bar), 1-24 and 25 (off), four bits each, and the points where the opponent was hit or struck. Of the
 * opponent nothing else moves. Points are the mover's numbers throughout.
 */
enum { BAR = 0, HEAD = 12, OFF = 25, SLOTS = 26 };
enum { MOST_NODES = 1 << 13, LARGE = 1 << 14, SMALL = 1 << 10 };
enum ending { NONE, BORNE_OFF, HANDSOME, JAN, FORCED_JAN };

#define POINT(p) (1u << (p))
static const uint32_t Q1 = 0x7e, THEIR_Q1 = 0x7e000; /* 1-6, and 13-18, which are 1-6 to the opponent */

/* A place in the search: a row of moves that is legal move by move. */
struct node {
    uint64_t low;  /* slots 0-15 */
    uint64_t high; /* slots 16-25 in bits 0-39, taken point p in bit 39 + p */
    int parent;
    uint8_t from, to, dice_used, first_die, waste, ending;
};

static struct {
    int theirs[SLOTS]; /* as the turn began; slot 0 is their bar */
    uint32_t theirs_any, theirs_closed;
} board;

static struct node nodes[MOST_NODES];
static int node_count;

/* Which nodes there are already: open addressing, emptied by counting `round` up. A roll that is no double has fewer
 * than 500 nodes, and all of them then lie close together in memory; a double can have some 4,000. */
static struct {
    uint64_t low, high;
    uint32_t tag, round;
} table[LARGE];
static uint32_t round_now, table_size;

static bool is_new(uint64_t low, uint64_t high, uint32_t tag)
{
    uint64_t mixed = (low ^ (high + tag) * 0x9E3779B97F4A7C15ULL) * 0xD6E8FEB86659FD93ULL;
    for (uint32_t i = mixed >> 32 & (table_size - 1);; i = (i + 1) & (table_size - 1)) {
        if (table[i].round != round_now) {
            table[i].low = low;
            table[i].high = high;
            table[i].tag = tag;
            table[i].round = round_now;
            return true;
        }
        if (table[i].low == low && table[i].high == high && table[i].tag == tag)
            return false;
    }
}

static unsigned count(const struct node *node, int slot)
{
    return slot < 16 ? node->low >> (4 * slot) & 15 : node->high >> (4 * (slot - 16)) & 15;
}

static void add(struct node *node, int slot, int64_t number)
{
    if (slot < 16)
        node->low += (uint64_t)number << (4 * slot);
    else
        node->high += (uint64_t)number << (4 * (slot - 16));
}

static uint32_t taken(const struct node *node)
{
    return (uint32_t)(node->high >> 39) & ~1u;
}

static int bits(uint32_t mask)
{
    int number = 0;
    for (; mask; mask &= mask - 1)
        number++;
    return number;
}

/* B6.3: the points of runs of six or more; a run does not go on from 24 to 1. */
static uint32_t long_primes(uint32_t closed)
{
    uint32_t run = closed;
    for (int i = 1; i < 6; i++)
        run &= run >> 1;
    for (int i = 1; i < 6; i++)
        run |= run << 1;
    return run;
}

static enum ending ending_of(const struct node *node, uint32_t hit, bool is_strike)
{
    if (hit) {
        uint32_t gone = taken(node);
        int waiting = board.theirs[BAR];
        for (int p = 1; p <= 24; p++)
            if (gone & POINT(p))
                waiting += board.theirs[p];
        int room = 6 - bits(board.theirs_any & ~gone & THEIR_Q1);
        if (waiting > room)
            return is_strike ? FORCED_JAN : JAN; /* B9.1, B9.2 */
    }
    if (count(node, OFF) == 15)
        return BORNE_OFF; /* B7.7 */
    switch (node->high >> 16 & 0xfffff) { /* points 20-24; B8.1, B8.3 */
    case 0x33333:
    case 0x55500:
    case 0x75300:
    case 0xf0000:
        return HANDSOME;
    }
    return NONE;
}

static void step(int parent, int from, int to, int die, int dice_used, bool is_strike, bool is_double)
{
    if (node_count == MOST_NODES)
        fail("more than %d ways to play a roll", MOST_NODES);
    const struct node *before = &nodes[parent];
    struct node *after = &nodes[node_count];
    *after = *before;
    after->parent = parent;
    after->from = (uint8_t)from;
    after->to = (uint8_t)to;
    after->dice_used = (uint8_t)dice_used;
    if (dice_used == 1)
        after->first_die = (uint8_t)die;
    if (to == OFF)
        after->waste = (uint8_t)(before->waste + die - (OFF - from)); /* B7.2 */
    add(after, from, -1);
    add(after, to, 1);
    uint32_t hit = to == OFF ? 0 : board.theirs_any & ~taken(before) & POINT(to);
    if (hit)
        after->high |= 1ull << (39 + to);
    after->ending = (uint8_t)ending_of(after, hit, is_strike);
    /* Rows that come to the same thing are followed once; with one die of two used it matters which. */
    uint32_t tag = (uint32_t)dice_used << 8 | (uint32_t)after->ending << 4;
    if (dice_used == 1 && !is_double)
        tag |= (uint32_t)die;
    if (is_new(after->low, after->high, tag))
        node_count++;
}

/* Every move of one checker by one die. */
static void steps(int parent, int die, int dice_used, bool is_double)
{
    const struct node *node = &nodes[parent];
    uint32_t own = 0;
    int rearmost = 0;
    for (int p = 24; p >= 1; p--)
        if (count(node, p)) {
            own |= POINT(p);
            rearmost = p;
        }
    unsigned waiting = count(node, BAR);
    uint32_t closed = board.theirs_closed & ~taken(node);
    uint32_t strikeable = long_primes(closed); /* B6.3 */
    if (waiting && waiting > (unsigned)bits(Q1 & ~own & ~closed))
        strikeable |= closed & Q1; /* B5.5 */
    if (count(node, OFF) == 14)
        strikeable = 0; /* B5.6 */

    for (int from = waiting ? BAR : 1; from <= (waiting ? BAR : 24); from++) { /* B5.1 */
        if (from != BAR && !(own & POINT(from)))
            continue;
        int to = from + die;
        if (to >= OFF) {
            if (rearmost >= 19 && from == rearmost) /* B7.1, B7.4 */
                step(parent, from, OFF, die, dice_used, false, is_double);
            continue;
        }
        if (to < HEAD && own & POINT(to))
            continue; /* B4.3, B4.4, B5.2 */
        if (closed & ~strikeable & POINT(to))
            continue; /* B4.1 */
        step(parent, from, to, die, dice_used, closed & POINT(to), is_double);
    }
}

int choose(int first, int second, int moves[MOST_DICE][2])
{
    bool is_double = first == second;
    int dice = is_double ? 4 : 2;
    int begin = 0, end = 1;
    table_size = is_double ? LARGE : SMALL;
    round_now++;
    node_count = 1;
    for (int used = 1; used <= dice; used++) { /* B3.1, B3.2 */
        for (int i = begin; i < end; i++) {
            if (nodes[i].ending)
                continue;
            if (is_double || used == 1)
                steps(i, first, used, is_double);
            if (!is_double && (used == 1 || nodes[i].first_die == first))
                steps(i, second, used, is_double);
            else if (!is_double)
                steps(i, first, used, is_double);
        }
        begin = end;
        end = node_count;
    }

    /* What the roll obliges to, over all ways of playing it, those that end the game included (B3.6). */
    int most = nodes[node_count - 1].dice_used; /* B3.3: nodes come by the number of their dice */
    int higher = 0, least = 1000;
    for (int i = node_count - 1; i >= 0 && nodes[i].dice_used == most; i--)
        if (nodes[i].first_die > higher)
            higher = nodes[i].first_die;
    for (int i = node_count - 1; i >= 0 && nodes[i].dice_used == most; i--)
        if ((most != 1 || nodes[i].first_die == higher) && nodes[i].waste < least)
            least = nodes[i].waste;

    static int legal[MOST_NODES];
    uint32_t number = 0;
    round_now++;
    for (int i = 0; i < node_count; i++) {
        const struct node *node = &nodes[i];
        bool is_enough = node->dice_used == most && (most != 1 || node->first_die == higher) /* B3.3, B3.4 */
                         && node->waste == least;                                            /* B7.6 */
        if ((node->ending || is_enough) && is_new(node->low, node->high, node->ending))
            legal[number++] = i;
    }
    int chosen = legal[below(number)];
    int length = nodes[chosen].dice_used;
    for (int i = chosen; nodes[i].dice_used; i = nodes[i].parent) {
        moves[nodes[i].dice_used - 1][0] = nodes[i].from;
        moves[nodes[i].dice_used - 1][1] = nodes[i].to;
    }
    return length;
}

void set_up(struct reader position)
{
    int points[24], bar[2], off[2];
    numbers(position, "points", points, 24);
    numbers(position, "bar", bar, 2);
    numbers(position, "off", off, 2);
    memset(&nodes[0], 0, sizeof nodes[0]);
    memset(&board, 0, sizeof board);
    add(&nodes[0], BAR, bar[0]);
    add(&nodes[0], OFF, off[0]);
    board.theirs[BAR] = bar[1];
    for (int p = 1; p <= 24; p++) {
        int number = points[p - 1];
        if (number > 0) {
            add(&nodes[0], p, number);
        } else if (number < 0) {
            board.theirs[p] = -number;
            board.theirs_any |= POINT(p);
            if (number < -1)
                board.theirs_closed |= POINT(p);
        }
    }
}

void reserve(void)
{
    memset(table, 0, sizeof table);
    memset(nodes, 0, sizeof nodes);
}
