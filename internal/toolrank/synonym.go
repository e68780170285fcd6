package toolrank

import (
	"regexp"
	"strings"
)

// stopWords are words of sentences, times and numbers, which describe most tools equally well. They add little to the score
// of a tool, and no tool has to match them. Short words in the names of tools, such as "all", "new" and "not", are missing
// on purpose.
var stopWords = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`
		a an the this that these those it its they them their there then than so such some any each other
		i me my mine myself we us our you your he she his her who whom whose which what when where why how
		am is are was were be been being do does did done has have had having can could may might must shall should will would
		and or but if because as while of to in into on onto at by for from with without within between about over under
		before after during out off away back until since again also just only still even very too much many more most few several
		here now today yesterday tomorrow tonight ago week weeks one two three four five ten
		please need needs want wants like let lets help try tell give given using currently something someone somebody anyone everything`) {
		set[w] = true
	}
	return set
}()

// verbs are groups of verbs that names of tools and people use for one another. A phrase of two words is written
// together.
var verbs = synonymsOf(
	"delete remove destroy erase purge discard drop clear",
	"get show fetch read view display retrieve see",
	"get list show see",
	"find search list query lookup locate",
	"update change edit modify set adjust",
	"create add new make insert register setup",
	"run start trigger execute launch invoke begin",
	"stop cancel abort terminate kill end halt shutdown",
	"enable activate turnon switchon",
	"disable deactivate turnoff switchoff",
	"reply answer respond",
	"send post publish submit",
	"copy clone duplicate",
	"move transfer migrate",
	"save store write",
	"restore recover revert undo rollback",
	"allow grant permit approve accept",
	"reject decline deny refuse",
	"block ban",
	"attach upload",
	"download export",
	"check verify validate test",
	"compare diff difference",
	"mute silence snooze ignore suppress",
	"hide mask redact",
	"pause suspend",
	"resume continue",
	"retry rerun",
	"resolve fix repair solve",
	"close finish complete",
	"ask request call",
	"merge combine join",
	"notify inform warn",
	"book reserve schedule",
	"buy purchase order",
	"ship deliver dispatch",
	"assign allocate",
	"replace swap exchange substitute",
	"increase raise",
	"decrease reduce lower",
	"pay payment",
)

// creation matches verbs that mean create if an indefinite article follows: "open an issue", but not "list open issues".
var creation = regexp.MustCompile(`(?i)\b(open|file|raise|log|start|write|draft)\s+(?:an?|new|another)\s`)

// undoing has the stems of verbs with which the prefix un- may be meant: "remove a star" is unstar.
var undoing = map[string]bool{"remov": true, "delet": true, "stop": true, "undo": true, "revert": true, "cancel": true, "lift": true}

// nouns are groups of nouns, abbreviations and adjectives. Words of a single field of work do not belong here: the
// descriptions of tools should have them.
var nouns = synonymsOf(
	"user person people member account",
	"owner author creator",
	"company organization organisation org",
	"customer client contact",
	"error failure exception crash fault",
	"issue ticket bug",
	"comment note remark",
	"event meeting appointment",
	"mail email",
	"message msg",
	"picture image photo screenshot",
	"graph chart plot",
	"file document doc documentation",
	"directory folder dir",
	"url link address",
	"website site page",
	"permission access role",
	"credential secret password token key",
	"authentication authorization auth login",
	"settings configuration config preferences options",
	"status state health",
	"history log timeline audit",
	"statistics stats metrics report analytics",
	"cost price spend billing charge",
	"limit quota",
	"latest last recent newest",
	"slow latency performance duration",
	"outage downtime down incident",
	"up uptime availability",
	"machine host server node instance",
	"database db",
	"environment env",
	"application app",
	"repository repo",
	"kubernetes k8s",
	"job task",
	"schedule calendar",
	"place location",
	"anomaly unusual abnormal outlier",
	"whoam whoami authenticated current",
	"pr pull",
	"mr merge",
)

// abbreviations are replaced by these words if no tool has them.
var abbreviations = map[string]string{"pr": "pull request", "prs": "pull request", "mr": "merge request", "mrs": "merge request"}

// synonymsOf returns, for the stem of each word, the other stems of its groups.
func synonymsOf(groups ...string) map[string][]string {
	all := map[string][]string{}
	for _, group := range groups {
		words := strings.Fields(group)
		for _, w := range words {
			for _, other := range words {
				if a, b := stem(w), stem(other); a != b {
					all[a] = append(all[a], b)
				}
			}
		}
	}
	return all
}
