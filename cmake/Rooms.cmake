# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# impinge_room(name NEEDS packages... AFTER rooms...): adds the room's folder, or prints in one line why not, and sets
# IMPINGE_HAVE_<name>.
include(${CMAKE_CURRENT_LIST_DIR}/Packages.cmake)
impinge_find(Threads)
include(CheckLinkerFlag)

# Exports by name, where the linker can do it.
set(IMPINGE_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/exports.map)
check_linker_flag(C "LINKER:--version-script=${IMPINGE_EXPORTS}" IMPINGE_HAVE_VERSION_SCRIPT)

function(impinge_room name)
  cmake_parse_arguments(ROOM "" "" "NEEDS;AFTER" ${ARGN})
  set(missing "")
  if(NOT name IN_LIST IMPINGE_ROOMS)
    set(missing "not in IMPINGE_ROOMS")
  endif()
  foreach(room IN LISTS ROOM_AFTER)
    if(NOT IMPINGE_HAVE_${room})
      set(missing "room ${room} is left out")
    endif()
  endforeach()
  if(NOT missing)
    foreach(package IN LISTS ROOM_NEEDS)
      impinge_find(${package})
      if(NOT TARGET impinge::${package})
        set(missing "${package} was not found")
      endif()
    endforeach()
  endif()
  if(missing)
    if(IMPINGE_REQUIRE AND name IN_LIST IMPINGE_ROOMS)
      message(FATAL_ERROR "Impinge: room ${name} is required but left out: ${missing}")
    endif()
    message(STATUS "Impinge: room ${name} is left out: ${missing}")
    set(IMPINGE_HAVE_${name} OFF PARENT_SCOPE)
    return()
  endif()
  set(IMPINGE_HAVE_${name} ON PARENT_SCOPE)
  add_subdirectory(${PROJECT_SOURCE_DIR}/${name} ${PROJECT_BINARY_DIR}/${name})
endfunction()

# impinge_library(room PUBLIC ... PRIVATE ... SOURCES ...): an object library (for tests of hidden parts), and the
# library made of its objects: shared, or static with BUILD_SHARED_LIBS=OFF. Objects are position-independent in both
# cases, so a static library can be linked into a shared one.
function(impinge_library room)
  cmake_parse_arguments(LIB "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(impinge_${room}_objects OBJECT ${LIB_SOURCES})
  target_include_directories(impinge_${room}_objects PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include
                                                     PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(impinge_${room}_objects PUBLIC ${LIB_PUBLIC} ${LIB_PRIVATE} PRIVATE impinge_flags)
  set(kind STATIC)
  if(BUILD_SHARED_LIBS)
    set(kind SHARED)
  endif()
  add_library(impinge_${room} ${kind} $<TARGET_OBJECTS:impinge_${room}_objects>)
  add_library(Impinge::${room} ALIAS impinge_${room})
  target_include_directories(impinge_${room} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                                    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(impinge_${room} PUBLIC ${LIB_PUBLIC} PRIVATE ${LIB_PRIVATE} $<BUILD_INTERFACE:impinge_flags>)
  set_target_properties(impinge_${room} PROPERTIES EXPORT_NAME ${room} VERSION ${PROJECT_VERSION}
                                                   SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C)
  if(IMPINGE_HAVE_VERSION_SCRIPT)
    target_link_options(impinge_${room} PRIVATE LINKER:--version-script=${IMPINGE_EXPORTS})
    set_property(TARGET impinge_${room} APPEND PROPERTY LINK_DEPENDS ${IMPINGE_EXPORTS})
  endif()
  set_property(GLOBAL APPEND PROPERTY IMPINGE_LIBRARIES impinge_${room})
  install(DIRECTORY include/impinge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
endfunction()

# impinge_commit.h with IMPINGE_COMMIT, the commit that the sources stand at. It is looked up by each build, and written
# only if it has changed. A target that includes it calls impinge_use_commit.
set(IMPINGE_COMMIT_HEADER ${PROJECT_BINARY_DIR}/generated/impinge_commit.h)
add_custom_target(impinge_commit BYPRODUCTS ${IMPINGE_COMMIT_HEADER}
                  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${IMPINGE_COMMIT_HEADER}
                          -P ${PROJECT_SOURCE_DIR}/cmake/WriteCommit.cmake
                  VERBATIM)
function(impinge_use_commit target)
  add_dependencies(${target} impinge_commit)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
