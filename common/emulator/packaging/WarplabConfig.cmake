# A CUDA project's tests on machines without a GPU:
#
#   find_package(Warplab)           # before the targets are made
#   if(Warplab_FOUND AND NOT MY_GPU)
#     warplab_run_tests(CHECK)      # from here on: targets get the shared runtime,
#   endif()                         # add_test(COMMAND target) starts them under warprun
#
# warplab_run_tests([CHECK] [DEVICE name] [STEPS n] [THREADS n]) passes those to warprun.
# Warplab_WARPRUN is the program. Targets made before the call keep NVIDIA's runtime inside
# them (nvcc's default), where the emulator cannot take its place.
get_filename_component(Warplab_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Warplab_WARPRUN "${Warplab_PREFIX}/bin/warprun")
set(Warplab_LIBRARY "${Warplab_PREFIX}/lib/warplab/libcudart.so.13")
set(Warplab_INCLUDE_DIR "${Warplab_PREFIX}/include")
if(NOT EXISTS "${Warplab_WARPRUN}" OR NOT EXISTS "${Warplab_LIBRARY}")
  set(Warplab_FOUND FALSE)
  set(Warplab_NOT_FOUND_MESSAGE "no warprun or no emulator under ${Warplab_PREFIX}")
  return()
endif()

macro(warplab_run_tests)
  cmake_parse_arguments(_warplab "CHECK" "DEVICE;STEPS;THREADS" "" ${ARGN})
  if(_warplab_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "warplab_run_tests: what is ${_warplab_UNPARSED_ARGUMENTS}?")
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  set(_warplab_command "${Warplab_WARPRUN}")
  if(_warplab_CHECK)
    list(APPEND _warplab_command --check)
  endif()
  foreach(_warplab_option DEVICE STEPS THREADS)
    if(_warplab_${_warplab_option})
      string(TOLOWER ${_warplab_option} _warplab_word)
      list(APPEND _warplab_command --${_warplab_word} ${_warplab_${_warplab_option}})
    endif()
  endforeach()
  # CMake 3.29 and later: its own word for it. Before, what starts programs of another machine.
  set(CMAKE_TEST_LAUNCHER "${_warplab_command}")
  if(CMAKE_VERSION VERSION_LESS 3.29)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${_warplab_command}")
  endif()
endmacro()
