// Package server is the servers that a soak drives. They have a tool of each kind that can go wrong in a way
// of its own: quick and slow ones, one that panics, one that asks its user, tasks, large results, changes of
// the list, limits. What a tool answers follows from its arguments alone, so whoever calls it knows what
// must come back.
package server
