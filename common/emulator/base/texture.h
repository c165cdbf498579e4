/* texture.h - textures and surfaces: what an object's 64-bit handle stands for.
 *
 * runtime/ makes them (texture_add()), exec/ reads them by their handle (texture_find()). Texels
 * lie row by row in device memory, of arrays too: an address says which, the rules for out of
 * memory, freed memory and unwritten bytes are those of any memory. The order in which a GPU has
 * an array's texels matters for sectors alone: texture_sector().
 *
 * Thread safety: texture_find may run on any thread while another adds; a kernel that uses an
 * object while it is destroyed is the program's fault, and finds it or not.
 */
#ifndef EMULATOR_TEXTURE_H
#define EMULATOR_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXTURE_LEVELS 18 /* of 131072 texels */

enum texel_kind { TEXEL_UNSIGNED, TEXEL_SIGNED, TEXEL_FLOAT };
struct texel_format {
    uint8_t bits, channels; /* of each: 8, 16, 32; 1, 2, 4 */
    enum texel_kind kind;
};
static inline uint32_t texel_bytes(struct texel_format f)
{
    return f.bits / 8u * f.channels;
}

struct texture_level {
    uint64_t address; /* of texel 0 of layer 0 */
    uint32_t width, height, depth;
    uint64_t pitch, slice; /* bytes from row to row; from slice, layer or face to the next */
};

enum texture_address { TEX_WRAP, TEX_CLAMP, TEX_MIRROR, TEX_BORDER }; /* cudaTextureAddressMode */

struct texture {
    bool surface;
    struct texel_format format;
    uint8_t dims; /* coordinates: 1 to 3; 2 of a cube */
    bool layered, cube;
    bool rows;       /* plain memory, not an array */
    uint32_t layers; /* faces, of a cube */
    uint32_t nlevels;
    struct texture_level level[TEXTURE_LEVELS];
    uint64_t base, bytes; /* the memory that all of it lies in */
    /* the sampler */
    uint8_t address[3]; /* enum texture_address */
    bool linear, normalized, to_float, srgb, mip_linear;
    float border[4], bias, least, most;
    unsigned anisotropy;
};

/* A handle for a copy of it; never 0. */
uint64_t texture_add(const struct texture *t);
/* NULL: there is none of that handle. */
const struct texture *texture_find(uint64_t handle);
bool texture_remove(uint64_t handle);
void texture_remove_all(void);

#endif
