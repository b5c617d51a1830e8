# Run by CPack before it makes the package: what Debian keeps in other places or forms.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_orchestrate ${share}/zsh/vendor-completions/_orchestrate)
file(REMOVE_RECURSE ${share}/zsh/site-functions)

set(doc ${share}/doc/orchestrate)
file(RENAME ${doc}/LICENSE ${doc}/copyright)
file(CREATE_LINK copyright ${doc}/LICENSE SYMBOLIC)
execute_process(
  COMMAND gzip -9n ${share}/man/man1/orchestrate.1 ${doc}/CHANGELOG.md COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${doc}/CHANGELOG.md.gz ${doc}/changelog.gz)
