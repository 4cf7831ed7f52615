# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# cmake -DSOURCE=... -DHEADER=... -P WriteCommit.cmake: the commit of a tree as a C macro; "unknown" without git.
set(commit unknown)
find_package(Git QUIET)
if(Git_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${described})
  endif()
endif()
set(text "#define IMPINGE_COMMIT \"${commit}\"\n")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL "${before}")
  file(WRITE ${HEADER} "${text}")
endif()
