// Package peers builds the servers under measurement, which are the programs in the
// directories here. Package tools has what they serve, and package peer what they have in common.
package peers
