# SPDX-License-Identifier: GPL-2.0-or-later
#
# Finding sources by pattern, and making what must follow from the list of files.

# Files matching the patterns, relative to the repository, in a stable order; CMake looks
# again at each build.
function(ktlsim_sources out)
	list(TRANSFORM ARGN PREPEND "${CMAKE_SOURCE_DIR}/")
	file(GLOB found RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${ARGN})
	list(SORT found)
	set(${out} ${found} PARENT_SCOPE)
endfunction()

function(ktlsim_skip what pattern)
	message(STATUS "ktlsim: skipping ${what}: there is no ${pattern}")
endfunction()

# Links those of the named libraries that exist.
function(ktlsim_link target scope)
	foreach(lib IN LISTS ARGN)
		if(TARGET ${lib})
			target_link_libraries(${target} ${scope} ${lib})
		endif()
	endforeach()
endfunction()

# Writes the unit test program's main file: tests/unit/x_test.c is the suite x_test_suite().
function(ktlsim_unit_registry out)
	set(UNIT_SUITES "")
	foreach(source IN LISTS ARGN)
		get_filename_component(name ${source} NAME_WE)
		string(APPEND UNIT_SUITES "SUITE(${name})\n")
	endforeach()
	string(STRIP "${UNIT_SUITES}" UNIT_SUITES)
	string(REPLACE "SUITE(" "\tSUITE(" UNIT_TABLE "${UNIT_SUITES}")
	string(REGEX REPLACE "SUITE\\(([^)]*)\\)" "Suite *\\1_suite(void);"
		UNIT_PROTOTYPES "${UNIT_SUITES}")
	configure_file(${CMAKE_SOURCE_DIR}/cmake/unit_main.c.in ${out} @ONLY)
endfunction()
