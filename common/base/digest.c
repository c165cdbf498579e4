/* digest.c - SHA-256, and numbers drawn from a secret (digest.h). */
#include "digest.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

static void finish(struct sha256_ctx *ctx, char out[DIGEST_HEX])
{
    uint8_t d[SHA256_DIGEST_SIZE];
    sha256_digest(ctx, sizeof(d), d);
    for (size_t i = 0; i < sizeof(d); i++)
        snprintf(out + 2 * i, 3, "%02x", d[i]);
}

void digest_hex(const void *data, size_t length, char out[DIGEST_HEX])
{
    struct sha256_ctx ctx;
    sha256_init(&ctx);
    sha256_update(&ctx, length, data);
    finish(&ctx, out);
}

bool digest_file(const char *path, char out[DIGEST_HEX])
{
    uint8_t piece[PIECE];
    struct sha256_ctx ctx;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : 1;
    sha256_init(&ctx);
    while (n > 0 || (n < 0 && fd >= 0 && errno == EINTR)) {
        n = read(fd, piece, sizeof(piece));
        if (n > 0)
            sha256_update(&ctx, (size_t)n, piece);
    }
    int e = errno;
    if (fd >= 0)
        close(fd);
    errno = e;
    finish(&ctx, out);
    return n == 0;
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
