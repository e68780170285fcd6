// Package hosting tests integrations that serve items of this module through the server of another
// framework: [Tools] and [Registry] are items that use all of a server, and [Compare] plays the
// same session against our own server and the other one, and reports the differences that are not
// listed.
package hosting
