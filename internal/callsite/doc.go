// Package callsite finds the place in an author's code that called into ours, for
// messages that say where a mistake was made.
package callsite
