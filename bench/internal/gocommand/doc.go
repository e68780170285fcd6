// Package gocommand runs the go command, and makes errors of what it prints.
package gocommand
