# What `cmake --install` puts where, as Debian expects it. luzia-run, luzia-proxy, luzia-post, luzia-telegram,
# luzia-qr, luzia-web and luzia-push are no commands for people: luziad looks for luzia-run beside itself, then in libexec, and for the others beside luzia-run.
include(GNUInstallDirs)
set(document_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/luzia)

set(commands luzia luzia-query)
if(TARGET luzia-fleet)
  list(APPEND commands luzia-fleet)
endif()
install(TARGETS luziad ${commands} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS luzia-run luzia-proxy luzia-post luzia-telegram luzia-qr RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/luzia)
if(TARGET luzia-web)
  install(TARGETS luzia-web luzia-push RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/luzia)
endif()

# Manual and completions are printed by the program itself, so that they never tell of another one.
set(made_dir ${CMAKE_CURRENT_BINARY_DIR}/documents)
file(MAKE_DIRECTORY ${made_dir})
function(luzia_document NAME PROGRAM)
  add_custom_command(OUTPUT ${made_dir}/${NAME} COMMAND ${PROGRAM} ${ARGN} > ${made_dir}/${NAME} DEPENDS ${PROGRAM}
    VERBATIM)
  set_property(GLOBAL APPEND PROPERTY luzia_documents ${made_dir}/${NAME})
endfunction()
foreach(command ${commands})
  luzia_document(${command}.1 ${command} help --man)
  install(FILES ${made_dir}/${command}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()
luzia_document(luzia.bash luzia completion bash)
luzia_document(_luzia luzia completion zsh)
luzia_document(luzia.fish luzia completion fish)
get_property(documents GLOBAL PROPERTY luzia_documents)
add_custom_target(luzia_documents ALL DEPENDS ${documents})

install(FILES luziad/luziad.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
# bash and fish look for a file by the name of the command.
foreach(command ${commands})
  install(FILES ${made_dir}/luzia.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME ${command})
  install(FILES ${made_dir}/luzia.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    RENAME ${command}.fish)
endforeach()
# Debian's zsh has a folder for packages, below /usr, and another for what is installed by hand.
install(CODE "set(completion \"${made_dir}/_luzia\")
  set(zsh_folder \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh\")")
install(CODE [[
  if(CMAKE_INSTALL_PREFIX MATCHES "^/usr/?$")
    file(INSTALL "${completion}" DESTINATION "${zsh_folder}/vendor-completions")
  else()
    file(INSTALL "${completion}" DESTINATION "${zsh_folder}/site-functions")
  endif()
]])
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${document_dir} RENAME copyright)

# The configuration in force is the administrator's: an existing one stays as it is, the example is always the new
# one. The programs read /etc/luzia, so only an installation into a folder of its own keeps it there.
install(FILES luzia/luzia.toml DESTINATION ${document_dir}/examples)
install(CODE "set(example \"${CMAKE_CURRENT_SOURCE_DIR}/luzia/luzia.toml\")")
install(CODE [[
  set(config_folder "${CMAKE_INSTALL_PREFIX}/etc/luzia")
  if(CMAKE_INSTALL_PREFIX MATCHES "^/usr(/local)?/?$")
    set(config_folder /etc/luzia)
  endif()
  if(EXISTS "$ENV{DESTDIR}${config_folder}/luzia.toml")
    message(STATUS "Kept: $ENV{DESTDIR}${config_folder}/luzia.toml")
  else()
    file(INSTALL "${example}" DESTINATION "${config_folder}")
  endif()
]])

# The units name the programs where they are installed, which --prefix may change after the configuration. They are
# made in a folder of this installation's own, which goes again: root's files would be in the way of the next one.
install(CODE "set(units \"${CMAKE_CURRENT_SOURCE_DIR}/luziad/systemd\")
  string(MD5 made \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  set(made \"${CMAKE_CURRENT_BINARY_DIR}/installed/\${made}\")
  set(bin_folder \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")")
install(CODE [[
  foreach(scope system user)
    foreach(kind service socket)
      configure_file("${units}/luziad.${scope}.${kind}.in" "${made}/${scope}/luziad.${kind}" @ONLY)
      file(INSTALL "${made}/${scope}/luziad.${kind}" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/${scope}")
    endforeach()
    configure_file("${units}/luzia-web.${scope}.service.in" "${made}/${scope}/luzia-web.service" @ONLY)
    file(INSTALL "${made}/${scope}/luzia-web.service" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/${scope}")
  endforeach()
]])

# Last: what all of that has installed, and what an earlier version had, by its place below the prefix; and who removes
# it again. The configuration is not in the list: it stays.
install(PROGRAMS uninstall DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/luzia)
install(CODE "set(data_folder \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/luzia\")")
install(CODE [[
  set(lines "")
  if(EXISTS "$ENV{DESTDIR}${data_folder}/installed")
    file(STRINGS "$ENV{DESTDIR}${data_folder}/installed" lines)
  endif()
  foreach(file ${CMAKE_INSTALL_MANIFEST_FILES} "${data_folder}/installed")
    file(RELATIVE_PATH line "${CMAKE_INSTALL_PREFIX}" "${file}")
    list(APPEND lines "${line}")
  endforeach()
  list(FILTER lines EXCLUDE REGEX "etc/luzia/luzia.toml$")
  list(SORT lines)
  list(REMOVE_DUPLICATES lines)
  list(JOIN lines "\n" lines)
  file(WRITE "${made}/installed" "${lines}\n")
  file(INSTALL "${made}/installed" DESTINATION "${data_folder}")
  file(REMOVE_RECURSE "${made}")
]])

# What root installs is for everybody, also with umask 077, with which CMake makes folders. Others install for
# themselves: their folders stay as private as they are.
install(CODE [[
  set(folders "")
  foreach(file ${CMAKE_INSTALL_MANIFEST_FILES})
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(IS_PREFIX CMAKE_INSTALL_PREFIX "${folder}" below)
    while(below)
      list(APPEND folders "${folder}")
      cmake_path(GET folder PARENT_PATH folder)
      cmake_path(IS_PREFIX CMAKE_INSTALL_PREFIX "${folder}" below)
    endwhile()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  list(TRANSFORM folders PREPEND "$ENV{DESTDIR}")
  execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(user EQUAL 0)
    execute_process(COMMAND chmod go+rX ${folders} COMMAND_ERROR_IS_FATAL ANY)
  endif()
]] ALL_COMPONENTS)
