// Package show writes values, names and paths for people and models: short, quoted, and of bounded length.
package show
