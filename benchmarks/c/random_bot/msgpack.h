/* Reading and writing msgpack: just what the protocol lets through. */
#ifndef MSGPACK_H
#define MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind { NIL, BOOLEAN, INTEGER, TEXT, BYTES, ARRAY, MAP };

struct reader {
    const uint8_t *at, *end;
};

struct value {
    enum kind kind;
    int64_t number; /* of an integer or boolean; otherwise how many bytes, elements or pairs follow */
    const uint8_t *bytes;
};

uint64_t big_endian(struct reader *in, unsigned size);

/* Reads a value; of an array or a map only its head. */
struct value next(struct reader *in);

bool is(struct value text, const char *word);

/* Moves a copy of `map` to the value of a key; false if the map has no such key. */
bool find(struct reader map, const char *key, struct reader *found);

/* The value of a key, which must be there and of this kind. */
struct value get(struct reader map, const char *key, enum kind kind);

/* Reads an array of exactly `number` integers. */
void numbers(struct reader map, const char *key, int *into, int number);

/* The frame that is being written, one at a time, and its length in bytes. */
extern uint8_t answer[8192];
extern size_t written;

void begin_frame(unsigned fields, const char *type);
void end_frame(void);
void put(unsigned byte);
void put_number(uint64_t value);
void put_bytes(const void *bytes, size_t length);
void put_text(const char *text);
void put_text_of(const void *bytes, size_t length);

#endif
