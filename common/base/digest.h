/* digest.h - SHA-256, and numbers drawn from a secret. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGEST_HEX 65
void digest_hex(const void *data, size_t length, char out[DIGEST_HEX]); /* SHA-256 */
/* The same of a file, of any size, which is not held in memory. False with errno set. */
bool digest_file(const char *path, char out[DIGEST_HEX]);
/* 64 bits drawn from a secret for a purpose: HMAC-SHA256(secret, label). */
uint64_t secret_draw(const char *secret, const char *label);

#endif
