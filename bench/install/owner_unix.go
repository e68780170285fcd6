//go:build unix

package install

import (
	"os"
	"syscall"
)

// giveTo sets the owner of a file to that of another, if permitted: otherwise files written by root would lock out the
// user.
func giveTo(path string, of os.FileInfo) {
	if stat, ok := of.Sys().(*syscall.Stat_t); ok && (int(stat.Uid) != os.Geteuid() || int(stat.Gid) != os.Getegid()) {
		_ = os.Chown(path, int(stat.Uid), int(stat.Gid))
	}
}
