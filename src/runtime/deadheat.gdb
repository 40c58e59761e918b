# SPDX-License-Identifier: MIT
# Commands for gdb in a program that `deadheat run --break` has started; or in one that was
# started with DEADHEAT_BREAK=1 in its environment, after `source deadheat.gdb`.

# A record of deadheat_found (runtime/debugger.c) is 68 words, a side of it 32.

define-prefix deadheat

define _dh_record
  set $_dh_at = (unsigned long *)&deadheat_found + 1 + 68 * ($arg0)
end

define _dh_kind
  if $arg0 & 4
    printf "free"
  else
    if $arg0 & 2
      printf "atomic "
    end
    if $arg0 & 1
      printf "write"
    else
      printf "read"
    end
  end
end

# $arg0: a side of a record; $arg1: how many frames.
define _dh_side
  set $_dh_side_at = ($arg0)
  printf "  "
  _dh_kind $_dh_side_at[0]
  printf " by thread %ld (LWP %lu)\n", $_dh_side_at[1], $_dh_side_at[2]
  set $_dh_k = 0
  while $_dh_k < $_dh_side_at[3] && $_dh_k < $arg1
    printf "    #%d ", $_dh_k
    info symbol $_dh_side_at[4 + $_dh_k] - 1
    info line *($_dh_side_at[4 + $_dh_k] - 1)
    set $_dh_k = $_dh_k + 1
  end
end

define _dh_show
  _dh_record $arg0
  printf "race %lu: %lu bytes at %#lx\n", $_dh_at[0], $_dh_at[2], $_dh_at[1]
  set $_dh_frames = $arg1
  _dh_side $_dh_at+4 $_dh_frames
  _dh_record $arg0
  printf "  and, earlier:\n"
  _dh_side $_dh_at+36 $_dh_frames
end

# The index of the race with a serial, in $_dh_found; -1 for none.
define _dh_find
  set $_dh_found = -1
  set $_dh_i = 0
  while $_dh_i < ((unsigned long *)&deadheat_found)[0]
    _dh_record $_dh_i
    if $_dh_at[0] == $arg0
      set $_dh_found = $_dh_i
    end
    set $_dh_i = $_dh_i + 1
  end
end

define deadheat races
  set $_dh_n = 0
  while $_dh_n < ((unsigned long *)&deadheat_found)[0]
    _dh_show $_dh_n 1
    set $_dh_n = $_dh_n + 1
  end
  if $_dh_n == 0
    printf "no race so far\n"
  end
end
document deadheat races
The races so far, each with the innermost frames of its two accesses.
Usage: deadheat races
end

define deadheat race
  if $argc != 1
    printf "usage: deadheat race NUMBER\n"
  else
    _dh_find $arg0
    if $_dh_found < 0
      printf "no race %d; `deadheat races` lists them\n", $arg0
    else
      _dh_show $_dh_found 28
    end
  end
end
document deadheat race
One race with both stacks.
Usage: deadheat race NUMBER
end

define deadheat threads
  set $_dh_n = ((unsigned long *)&deadheat_found)[0]
  if $_dh_n > 0
    _dh_record $_dh_n-1
    printf "race %lu is between thread %ld (LWP %lu)", $_dh_at[0], $_dh_at[5], $_dh_at[6]
    printf " and, earlier, thread %ld (LWP %lu)\n", $_dh_at[37], $_dh_at[38]
  end
  info threads
end
document deadheat threads
The threads, and which of them made the last race.
Usage: deadheat threads
end

# The frame of the access, out of the detector's.
define _dh_select
  set $_dh_n = ((unsigned long *)&deadheat_found)[0]
  if $_dh_n > 0
    _dh_record $_dh_n-1
    set $_dh_up = 0
    while $_dh_up < 40 && $_dh_at[7] > 0 && (unsigned long)$pc != $_dh_at[8]
      up-silently
      set $_dh_up = $_dh_up + 1
    end
  end
end

# Where to stop. The library is not loaded yet.
define _dh_break_race
  set breakpoint pending on
  break deadheat_on_race
  commands
    silent
    printf "deadheat: stopped at the race; `help deadheat` lists commands\n"
    _dh_select
    frame
  end
end

define _dh_break_end
  set breakpoint pending on
  break deadheat_on_end
  commands
    silent
    printf "deadheat: stopped at the end\n"
    deadheat races
  end
end

# For a session without a terminal: tells of each stop, and ends as the program does.
define _dh_batch
  run
  while $_isvoid($_exitcode) && $_isvoid($_exitsignal)
    if (unsigned long)$pc - (unsigned long)&deadheat_on_race < 16
      printf "deadheat: stopped at the race; all threads:\n"
      thread apply all -q backtrace
    end
    if (unsigned long)$pc - (unsigned long)&deadheat_on_end < 16
      printf "deadheat: stopped at the end\n"
      deadheat races
    end
    continue
  end
  if $_isvoid($_exitcode)
    quit 128 + $_exitsignal
  end
  quit $_exitcode
end
