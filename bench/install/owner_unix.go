//go:build unix

package install

import (
	"os"
	"syscall"
)

// giveTo gives a file to the owner of another, as far as that is allowed: what root writes would else lock the user out.
func giveTo(path string, of os.FileInfo) {
	if stat, ok := of.Sys().(*syscall.Stat_t); ok && (int(stat.Uid) != os.Geteuid() || int(stat.Gid) != os.Getegid()) {
		_ = os.Chown(path, int(stat.Uid), int(stat.Gid))
	}
}
