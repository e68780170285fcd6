// Package declared has generated types that the tests check, without a program having to be built for them.
package declared
