# SPDX-License-Identifier: BSD-2-Clause
# SPDX-FileCopyrightText: 2026 the Impinge founders
#
# Headers, libraries, CMake package (find_package(Impinge)) and pkg-config files.
include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY IMPINGE_LIBRARIES)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Impinge)

install(TARGETS ${libraries} EXPORT ImpingeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT ImpingeTargets NAMESPACE Impinge:: DESTINATION ${package_dir})
configure_package_config_file(cmake/ImpingeConfig.cmake.in ${CMAKE_BINARY_DIR}/ImpingeConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ImpingeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/ImpingeConfig.cmake ${CMAKE_BINARY_DIR}/ImpingeConfigVersion.cmake
        DESTINATION ${package_dir})

set(IMPINGE_PC_LIBS "-limpinge_contact")
if(IMPINGE_HAVE_meshio)
  set(IMPINGE_PC_LIBS "-limpinge_meshio -limpinge_contact")
endif()
configure_file(cmake/impinge.pc.in ${CMAKE_BINARY_DIR}/impinge.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/impinge.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IMPINGE_HAVE_plugin)
  configure_file(cmake/impinge-petsc.pc.in ${CMAKE_BINARY_DIR}/impinge-petsc.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/impinge-petsc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
