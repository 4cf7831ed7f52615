# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Installs headers, libraries, the CMake package (find_package(Impinge)) and pkg-config files.
include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY IMPINGE_LIBRARIES)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Impinge)

install(TARGETS ${libraries} EXPORT ImpingeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                                   ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT ImpingeTargets NAMESPACE Impinge:: DESTINATION ${package_dir})
configure_package_config_file(cmake/ImpingeConfig.cmake.in ${CMAKE_BINARY_DIR}/ImpingeConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ImpingeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/ImpingeConfig.cmake ${CMAKE_BINARY_DIR}/ImpingeConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES cmake/Packages.cmake RENAME ImpingePackages.cmake DESTINATION ${package_dir})

# impinge-contact: the contact library alone; impinge: all that needs no PETSc; impinge-petsc: all. What a static
# library needs is in Libs.private: pkg-config --static
set(IMPINGE_PC_LIBS "")
set(IMPINGE_PC_LIBS_PRIVATE "")
set(pc_files impinge-contact impinge)
if(IMPINGE_HAVE_meshio)
  get_filename_component(exodus_dir ${EXODUS_LIBRARY} DIRECTORY)
  get_filename_component(exodus_name ${EXODUS_LIBRARY} NAME_WE)
  string(REGEX REPLACE "^lib" "" exodus_name ${exodus_name})
  set(IMPINGE_PC_LIBS "-limpinge_meshio")
  set(IMPINGE_PC_LIBS_PRIVATE "-L${exodus_dir} -l${exodus_name} -lm")
endif()
if(IMPINGE_HAVE_plugin)
  list(APPEND pc_files impinge-petsc)
endif()
foreach(pc IN LISTS pc_files)
  configure_file(cmake/${pc}.pc.in ${CMAKE_BINARY_DIR}/${pc}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${pc}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
