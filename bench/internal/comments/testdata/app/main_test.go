package main

// FindIn would be a second type of this name, if tests were read.
func unused() { type FindIn struct{} }
