# Sockets that Node does not open, with nothing but the Perl that Debian always has: ICMP echo of both families, and SCTP where
# the kernel has it. Prints one word, as the probers do; "drop" is silence.
#
#   raw-sockets.pl has PROTOCOL                           yes, or why not
#   raw-sockets.pl probe icmp ADDRESS PORT PATIENCE       the port is without meaning
#   raw-sockets.pl probe sctp ADDRESS PORT PATIENCE       (milliseconds)
#   raw-sockets.pl listen sctp ADDRESS PORT               ends when its input does

use strict;
use warnings;
use Socket qw(:DEFAULT inet_pton AF_INET6 pack_sockaddr_in6);

# tcp is here to try the code on a kernel without SCTP.
my %number = (tcp => 6, sctp => 132);
my ($verb, $protocol, $address, $port, $patience) = @ARGV;
my $v6 = defined $address && $address =~ /:/;
my $family = $v6 ? AF_INET6 : AF_INET;
$| = 1;

sub answer { print "$_[0]\n"; exit 0 }
sub failed { my $why = "$!"; $why =~ tr/ /-/; answer($why) }

sub place {
    my ($on) = @_;
    my $packed = inet_pton($family, $address) // die "$address is no address\n";
    return $v6 ? pack_sockaddr_in6($on, $packed) : pack_sockaddr_in($on, $packed);
}

sub stream {
    socket(my $socket, $family, SOCK_STREAM, $number{$protocol}) or failed();
    return $socket;
}

# RFC 1071; of ICMPv6 the kernel computes it.
sub checksum {
    my ($bytes) = @_;
    my $sum = 0;
    $sum += $_ for unpack 'n*', $bytes;
    $sum = ($sum & 0xffff) + ($sum >> 16) while $sum >> 16;
    return ~$sum & 0xffff;
}

sub echo {
    my ($request, $reply) = $v6 ? (128, 129) : (8, 0);
    socket(my $socket, $family, SOCK_RAW, $v6 ? 58 : 1) or failed();
    connect($socket, place(0)) or failed();
    my $body = pack 'nn', $$ & 0xffff, 1;
    my $sum = checksum(pack('CCn', $request, 0, 0) . $body);
    my ($left, $sent) = ($patience / 1000, 0);
    while ($left > 0) {
        send($socket, pack('CCn', $request, 0, $sum) . $body, 0) // failed();
        my $wait = $left < 0.25 ? $left : 0.25;
        $left -= $wait;
        vec(my $ready = '', fileno($socket), 1) = 1;
        while (select(my $now = $ready, undef, undef, $wait)) {
            recv($socket, my $packet, 2048, 0) // failed();
            $packet = substr $packet, 4 * (ord($packet) & 15) unless $v6;
            answer('allow') if ord($packet) == $reply && substr($packet, 4) eq $body;
        }
    }
    answer('drop');
}

if ($verb eq 'has') {
    stream();
    answer('yes');
}
elsif ($verb eq 'probe' && $protocol eq 'icmp') {
    echo();
}
elsif ($verb eq 'probe') {
    my $socket = stream();
    local $SIG{ALRM} = sub { answer('drop') };
    alarm($patience < 1000 ? 1 : int($patience / 1000));
    connect($socket, place($port)) or failed();
    answer('allow');
}
elsif ($verb eq 'listen') {
    my $socket = stream();
    bind($socket, place($port)) && listen($socket, 64) or failed();
    print "ok\n";
    vec(my $both = '', fileno(STDIN), 1) = 1;
    vec($both, fileno($socket), 1) = 1;
    while (select(my $now = $both, undef, undef, undef)) {
        last if vec($now, fileno(STDIN), 1);
        accept(my $accepted, $socket) if vec($now, fileno($socket), 1);
    }
}
else {
    die "raw-sockets.pl: what is $verb?\n";
}
