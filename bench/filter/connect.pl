# What a new connection takes: connect.pl ADDRESS PORT COUNT prints the middle time of so many, in microseconds.

use strict;
use warnings;
use Socket;
use Time::HiRes qw(clock_gettime usleep CLOCK_MONOTONIC);

my ($address, $port, $count) = @ARGV;
my $to = pack_sockaddr_in($port, inet_aton($address));
my @times;
for (1 .. $count) {
  socket(my $socket, PF_INET, SOCK_STREAM, 0) or die "socket: $!";
  my $begun = clock_gettime(CLOCK_MONOTONIC);
  connect($socket, $to) or die "connect: $!";
  push @times, clock_gettime(CLOCK_MONOTONIC) - $begun;
  close $socket;
  usleep(500);
}
my @sorted = sort { $a <=> $b } @times;
printf "%.1f\n", 1e6 * $sorted[$#sorted / 2];
