// Package declared has generated types for tests, which then need not build a program for them.
package declared
