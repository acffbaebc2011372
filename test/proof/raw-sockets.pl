# Sockets that Node does not open, with nothing but the Perl that Debian always has: ICMP echo of both families, and SCTP where
# the kernel has it. Prints one word, as the probers do; "drop" is silence.
#
#   raw-sockets.pl has PROTOCOL                           yes, or why not
#   raw-sockets.pl probe icmp ADDRESS PORT PATIENCE [OWN] the port is without meaning; from the own address, if one is given
#   raw-sockets.pl probe sctp ADDRESS PORT PATIENCE       (milliseconds)
#   raw-sockets.pl listen sctp ADDRESS PORT               ends when its input does
#   raw-sockets.pl probe sctp-init ADDRESS PORT PATIENCE OWN   an INIT chunk (RFC 9260) from the own address, also where the kernel has
#   raw-sockets.pl listen sctp-init ADDRESS PORT               no SCTP: what listens answers with an INIT ACK

use strict;
use warnings;
use Socket qw(:DEFAULT inet_pton AF_INET6 pack_sockaddr_in6);

# tcp is here to try the code on a kernel without SCTP.
my %number = (tcp => 6, sctp => 132);
my ($verb, $protocol, $address, $port, $patience, $own) = @ARGV;
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

# An end with several addresses sends from one of them, of the kernel's choice, unless it is told.
sub from_own {
    my ($socket) = @_;
    return unless defined $own && $own ne '';
    my $packed = inet_pton($family, $own) // die "$own is no address\n";
    bind($socket, $v6 ? pack_sockaddr_in6(0, $packed) : pack_sockaddr_in(0, $packed)) or failed();
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
    from_own($socket);
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

# CRC32c, which SCTP has for a checksum.
my @crc = map {
    my $value = $_;
    $value = $value & 1 ? ($value >> 1) ^ 0x82f63b78 : $value >> 1 for 1 .. 8;
    $value;
} 0 .. 255;

sub sctp {
    my ($from, $to, $tag, $chunk) = @_;
    my $sum = 0xffffffff;
    $sum = ($sum >> 8) ^ $crc[($sum ^ $_) & 0xff] for unpack 'C*', pack('nnNN', $from, $to, $tag, 0) . $chunk;
    return pack('nnNV', $from, $to, $tag, $sum ^ 0xffffffff) . $chunk;
}

# Raw sockets give the IPv4 header too.
sub sctp_in {
    my ($packet) = @_;
    $packet = substr $packet, 4 * (ord($packet) & 15) unless $v6;
    my ($from, $to, $tag, undef, $type, undef, undef, $init) = unpack 'nnNNCCnN', $packet;
    return { from => $from, to => $to, type => $type // -1, init => $init };
}

sub raw_sctp {
    my ($bound) = @_;
    socket(my $socket, $family, SOCK_RAW, 132) or failed();
    my $packed = inet_pton($family, $bound) // die "$bound is no address\n";
    bind($socket, $v6 ? pack_sockaddr_in6(0, $packed) : pack_sockaddr_in(0, $packed)) or failed();
    return $socket;
}

sub init_listen {
    my $socket = raw_sctp($address);
    print "ok\n";
    vec(my $both = '', fileno(STDIN), 1) = 1;
    vec($both, fileno($socket), 1) = 1;
    while (select(my $now = $both, undef, undef, undef)) {
        last if vec($now, fileno(STDIN), 1);
        my $peer = recv($socket, my $packet, 2048, 0) // next;
        my $in = sctp_in($packet);
        next unless $in->{type} == 1 && $in->{to} == $port;
        my $ack = pack('CCnNNnnN', 2, 0, 28, 77, 65536, 1, 1, 1) . pack('nnN', 7, 8, 1);
        # An IPv6 raw socket takes the port for a protocol.
        $peer = pack_sockaddr_in6(0, (Socket::unpack_sockaddr_in6($peer))[1]) if $v6;
        send($socket, sctp($port, $in->{from}, $in->{init}, $ack), 0, $peer);
    }
}

sub init_probe {
    my $socket = raw_sctp($own);
    connect($socket, place(0)) or failed();
    my $from = 40000 + $$ % 20000;
    my $init = sctp($from, $port, 0, pack('CCnNNnnN', 1, 0, 20, 99, 65536, 1, 1, 1));
    my ($left, $sent) = ($patience / 1000, 0);
    while ($left > 0) {
        # A raw socket has no port: that another one's packet between these two addresses was rejected is reported here too.
        send($socket, $init, 0);
        my $wait = $left < 0.25 ? $left : 0.25;
        $left -= $wait;
        vec(my $ready = '', fileno($socket), 1) = 1;
        while (select(my $now = $ready, undef, undef, $wait)) {
            recv($socket, my $packet, 2048, 0) // next;
            my $in = sctp_in($packet);
            answer('allow') if $in->{type} == 2 && $in->{from} == $port && $in->{to} == $from;
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
elsif ($protocol eq 'sctp-init') {
    $verb eq 'probe' ? init_probe() : init_listen();
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
