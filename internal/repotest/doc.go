// Package repotest has tests of the repository as a whole: the documents and what their examples print, the public API of
// each package, which package imports which, the modules, and the claims of SECURITY.md.
//
// With -short they take a few seconds, most of it to link bench: tests that build servers or modules, or run the commands of
// documents, are skipped. With MCPTOOL_TEST_NIGHTLY=1 the commands of all documents run.
package repotest
