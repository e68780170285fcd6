// Package show formats values, names and paths for people and models: quoted, and of bounded length.
package show
