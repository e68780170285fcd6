// Package peers builds the measured servers, which are the programs in its subdirectories.
// Package tools has their tools, and package peer their common code.
package peers
