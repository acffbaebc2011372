// SCTP over raw IP sockets, for agnhost on a kernel that has none. Written for Northgate's conformance runs (../README.md).
// The path is that of the library in whose place ../build.sh puts it: Go takes no other name there.

module github.com/ishidawataru/sctp

go 1.24.0
