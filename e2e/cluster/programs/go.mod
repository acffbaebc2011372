module northgate.example/cluster

go 1.22
