/* texture.h - cases of arrays, textures and surfaces: what is made, filled and read.
 *
 * A texture is described by struct texture, made by texture_make() and read by 256 threads, each
 * with words of its own: coordinates 0 to 3, the layer 4, the level 5, gradients (or what is to be
 * stored) 6 to 11. Lines of the record are "name = result" as in hopper.h.
 */
#ifndef EMULATOR_CASES_TEXTURE_H
#define EMULATOR_CASES_TEXTURE_H

#include "hopper.h"

#define POINTS 256
#define WORDS  12

enum geometry { G_1D, G_2D, G_3D, G_A1D, G_A2D, G_CUBE, G_ACUBE, G_LINEAR, G_PITCH };
enum channel { C_U8, C_S8, C_U16, C_S16, C_F16, C_U32, C_S32, C_F32, CHANNELS };

struct texture {
    enum geometry geometry;
    enum channel type;
    uint32_t channels, width, height, depth, levels; /* depth: slices, layers or faces */
    int address[3];                                  /* enum cudaTextureAddressMode */
    bool linear, normalized, norm_read, srgb, mip_linear, border;
    float bias, least, most; /* of the level; most 0: any */
    int anisotropy;
    bool steps;        /* texels 0 and 1 by turns, not random ones */
    bool small_random; /* integers below 100: sums do not overflow */
    int view;          /* 0: none; enum cudaResourceViewFormat */
    uint32_t first_level, last_level, first_layer, last_layer;
    bool surface;
    /* made: */
    cudaArray_t array;
    cudaMipmappedArray_t mipmap;
    void *memory;
    size_t pitch;
    cudaTextureObject_t object;
    cudaSurfaceObject_t surf;
};

uint32_t texture_texel(const struct texture *t); /* bytes */
uint32_t texture_layers(const struct texture *t);
bool texture_is_float(const struct texture *t); /* does a read give floats? */
const char *texture_modes(const struct texture *t);
void texture_name(const struct texture *t, char *name); /* 256 bytes */
cudaError_t texture_make(struct texture *t, uint64_t seed);
void texture_free(struct texture *t);
/* Copies level 0 into new memory; *bytes of it. */
uint8_t *texture_contents(const struct texture *t, size_t *bytes);

typedef union {
    float f;
    int32_t s;
    uint32_t u;
} word;
typedef word points[POINTS][WORDS];
/* Runs `body` on 256 threads: [%l0] the object, %r10 to %r21 the words, %r0 to %r3 the result. */
cudaError_t texture_run(const char *body, uint64_t object, points in, uint32_t out[POINTS][4]);
void texture_result(const char *name, cudaError_t e, const void *data, size_t bytes);

void fetch_cases(void);   /* texture_fetch.c */
void surface_cases(void); /* texture_surface.c */
void count_cases(void);   /* texture_count.c */
void array_cases(void);   /* texture_array.c: calls and their errors */

#endif
