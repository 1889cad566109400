#!/usr/bin/perl
# Getopt::Long and pod2usage.
use strict;
use warnings;
use Getopt::Long;
use JSON::PP;
use Pod::Usage;

my (%o, @inc);
GetOptions(\%o, 'help|h', 'format|f=s', 'count|c=i', 'ratio=f', 'verbose!', 'define=s%', 'include|I=s' => \@inc) or pod2usage(2);
pod2usage(-exitval => 0, -verbose => 1) if $o{help};
print JSON::PP->new->canonical->encode({ %o, include => \@inc, words => [@ARGV] }), "\n";
__END__

=head1 NAME

conv - convert files

=head1 SYNOPSIS

conv [options] INPUT [OUTPUT]

=head1 OPTIONS

=over 4

=item B<--help>

Print a brief help message and exits.

=item B<--format> I<FORMAT>, B<-f>

The format to write.

=item B<--count>=I<N>

How many.

=item B<--ratio>=I<NUMBER>

How much smaller.

=item B<--[no]verbose>

Say more.

=item B<--define> I<KEY>=I<VALUE>

Define something. May be given several times.

=item B<--include> I<DIR>, B<-I> I<DIR>

Where to look. Can be repeated.

=back

=cut
