# What `cmake --install` puts where, as Debian expects it. luzia-run, luzia-post and luzia-telegram are no
# commands for people: luziad looks for luzia-run beside itself, then in libexec, and for the others beside luzia-run.
include(GNUInstallDirs)
set(document_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/luzia)

install(TARGETS luzia luziad luzia-query RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS luzia-run luzia-post luzia-telegram RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/luzia)

# Manual and completions are printed by the program itself, so that they never tell of another one.
set(made_dir ${CMAKE_CURRENT_BINARY_DIR}/documents)
file(MAKE_DIRECTORY ${made_dir})
function(luzia_document NAME PROGRAM)
  add_custom_command(OUTPUT ${made_dir}/${NAME} COMMAND ${PROGRAM} ${ARGN} > ${made_dir}/${NAME} DEPENDS ${PROGRAM}
    VERBATIM)
  set_property(GLOBAL APPEND PROPERTY luzia_documents ${made_dir}/${NAME})
endfunction()
luzia_document(luzia.1 luzia help --man)
luzia_document(luzia-query.1 luzia-query help --man)
luzia_document(luzia.bash luzia completion bash)
luzia_document(_luzia luzia completion zsh)
luzia_document(luzia.fish luzia completion fish)
get_property(documents GLOBAL PROPERTY luzia_documents)
add_custom_target(luzia_documents ALL DEPENDS ${documents})

install(FILES ${made_dir}/luzia.1 ${made_dir}/luzia-query.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES luziad/luziad.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
# bash and fish look for a file by the name of the command.
foreach(command luzia luzia-query)
  install(FILES ${made_dir}/luzia.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME ${command})
  install(FILES ${made_dir}/luzia.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    RENAME ${command}.fish)
endforeach()
install(FILES ${made_dir}/_luzia DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${document_dir} RENAME copyright)

# The configuration in force is the administrator's: an existing one stays as it is, the example is always the new
# one. The programs read /etc/luzia, so only an installation into a folder of its own keeps it there.
install(FILES luzia/luzia.toml DESTINATION ${document_dir}/examples)
install(CODE "set(example \"${CMAKE_CURRENT_SOURCE_DIR}/luzia/luzia.toml\")")
install(CODE [[
  set(folder "${CMAKE_INSTALL_PREFIX}/etc/luzia")
  if(CMAKE_INSTALL_PREFIX MATCHES "^/usr(/local)?/?$")
    set(folder /etc/luzia)
  endif()
  if(EXISTS "$ENV{DESTDIR}${folder}/luzia.toml")
    message(STATUS "Kept: $ENV{DESTDIR}${folder}/luzia.toml")
  else()
    file(INSTALL "${example}" DESTINATION "${folder}")
  endif()
]])

# The units name the programs where they are installed, which --prefix may change after the configuration.
install(CODE "set(units \"${CMAKE_CURRENT_SOURCE_DIR}/luziad/systemd\")
  set(made \"${CMAKE_CURRENT_BINARY_DIR}/systemd\")
  set(bin_folder \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")")
install(CODE [[
  foreach(scope system user)
    foreach(kind service socket)
      configure_file("${units}/luziad.${scope}.${kind}.in" "${made}/${scope}/luziad.${kind}" @ONLY)
      file(INSTALL "${made}/${scope}/luziad.${kind}" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/${scope}")
    endforeach()
  endforeach()
]])
