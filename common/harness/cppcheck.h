/* cppcheck.h - for `make lint` alone: what macros of libraries that it cannot see mean. */
#define json_array_foreach(array, i, value)                                                        \
    for (i = 0; i < json_array_size(array) && (value = json_array_get(array, i)); i++)
#define json_object_foreach(object, key, value)                                                    \
    for (key = json_first(object); key && (value = json_object_get(object, key));                  \
         key = json_next(object, key))
