/* digest.c - SHA-256, and numbers drawn from a secret (digest.h). */
#include "digest.h"

#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

void digest_hex(const void *data, size_t length, char out[DIGEST_HEX])
{
    struct sha256_ctx ctx;
    uint8_t d[SHA256_DIGEST_SIZE];
    sha256_init(&ctx);
    sha256_update(&ctx, length, data);
    sha256_digest(&ctx, sizeof(d), d);
    for (size_t i = 0; i < sizeof(d); i++)
        snprintf(out + 2 * i, 3, "%02x", d[i]);
}

uint64_t secret_draw(const char *secret, const char *label)
{
    struct hmac_sha256_ctx ctx;
    uint64_t v;
    hmac_sha256_set_key(&ctx, strlen(secret), (const uint8_t *)secret);
    hmac_sha256_update(&ctx, strlen(label), (const uint8_t *)label);
    uint8_t d[SHA256_DIGEST_SIZE];
    hmac_sha256_digest(&ctx, sizeof(d), d);
    memcpy(&v, d, sizeof(v));
    return v;
}
