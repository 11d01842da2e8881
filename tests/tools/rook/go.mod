module pharos.test/tools/rook

go 1.26.0

require github.com/rook/rook v1.17.8
