// Package searchcase checks that a client that searches tools finds the right ones. A case is a query, and the names of the
// tools of which one has to be among the first. [ReadFile] reads cases:
//
//	# a query, a tab, and the accepted tools, separated by commas
//	merge the open PR	merge_pull_request
//	who wrote this line	get_blame,list_commits
//
// [Check] runs them against definitions of tools with the ranking of [toolrank]. Its [Report] explains each case that fails
// with facts of the ranking: the ranks, the words that match, and the words of the query that the accepted tool lacks.
package searchcase
