/* stddef.h - for NVRTC, which knows size_t and ptrdiff_t without it (see stdint.h here). */
#ifndef WARPLAB_STD_STDDEF_H
#define WARPLAB_STD_STDDEF_H
#ifndef offsetof
#define offsetof(type, member) (::size_t)((char *)&(((type *)0)->member) - (char *)0)
#endif
typedef decltype(nullptr) nullptr_t;
typedef long double max_align_t;
namespace std
{
using ::nullptr_t, ::ptrdiff_t, ::size_t;
}
#endif
