// Package repotest has tests of the repository as a whole: the documents and what their examples print, the public API of
// each package, which package imports which, the modules, and the claims of SECURITY.md.
package repotest
