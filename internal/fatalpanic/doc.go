// Package fatalpanic ends a program whose registrations have mistakes with the mistakes
// alone, where the Go runtime would print a stack trace below them.
package fatalpanic
