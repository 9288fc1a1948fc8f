// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Atomic updates `element = element op value` for every dtype: by the device's own atomic
// instructions where it has one, else by compare and swap of the word that holds the element. A
// complex sum updates its two parts one after the other.
#pragma once

#include "kernels/element/functors.cuh"
#include "kernels/indexing/indexed.cuh"

namespace gpuarray {

// Whether two functor templates are the same.
template <template <class> class Functor, template <class> class Other>
inline constexpr bool is_same_functor = false;
template <template <class> class Functor>
inline constexpr bool is_same_functor<Functor, Functor> = true;

// Whether T is an integer of a size that CUDA's atomics take.
template <class T>
inline constexpr bool is_word_v = is_integer_v<T> && sizeof(T) >= 4;

// The type of CUDA's atomics for T: they name 64-bit integers long long.
template <class T>
using atomic_t = choose_t<is_integer_v<T> && sizeof(T) == 8,
                          choose_t<is_signed_v<T>, long long, unsigned long long>, T>;

// Combines by compare and swap, which is tried again until no other thread came between. The
// aligned word of 4 or 8 bytes around the element must be memory that the kernel may access.
template <template <class> class Functor, class T>
__device__ void swap_until_combined(stored_t<T>* element, T value) {
  static_assert(sizeof(T) <= 8, "no compare and swap takes more than 8 bytes");
  using Word = choose_t<sizeof(T) == 8, unsigned long long, unsigned int>;
  // An element of 1 or 2 bytes is changed within the aligned word of 4 bytes that holds it.
  const uint64_t address = reinterpret_cast<uint64_t>(element);
  auto* word = reinterpret_cast<Word*>(address & ~uint64_t(sizeof(Word) - 1));
  const unsigned int shift = unsigned(address & (sizeof(Word) - 1)) * 8;
  const Word mask = sizeof(T) >= 4 ? ~Word(0) : ((Word(1) << (8 * sizeof(T) % 32)) - 1) << shift;
  Word before = *static_cast<volatile Word*>(word);
  while (true) {
    const T old = from_bits<stored_t<T>>(unsigned_t<T>((before & mask) >> shift));
    const T made = Functor<T>::apply(old, value);
    const Word bits = Word(__builtin_bit_cast(unsigned_t<T>, made)) << shift;
    if (bits == (before & mask)) return;  // a maximum seldom changes
    const Word seen = atomicCAS(word, before, (before & ~mask) | bits);
    if (seen == before) return;
    before = seen;
  }
}

// Sets *element to Functor<T>::apply(*element, value) atomically, with relaxed memory order.
template <template <class> class Functor, class T>
__device__ void combine_at(stored_t<T>* element, T value) {
  constexpr bool kAdds = is_same_functor<Functor, add_functor>;
  using Atomic = atomic_t<T>;
  auto* target = reinterpret_cast<Atomic*>(element);
  if constexpr (kAdds && is_complex_v<T>) {
    combine_at<Functor, real_t<T>>(&element->re, value.re);
    combine_at<Functor, real_t<T>>(&element->im, value.im);
  } else if constexpr (kAdds && is_signed_v<T> && sizeof(T) == 8) {
    atomicAdd(reinterpret_cast<unsigned long long*>(element), (unsigned long long)value);
  } else if constexpr (kAdds && (is_word_v<T> || is_native_float_v<T>)) {
    atomicAdd(target, Atomic(value));
  } else if constexpr (is_same_functor<Functor, maximum_functor> && is_word_v<T>) {
    atomicMax(target, Atomic(value));
  } else if constexpr (is_same_functor<Functor, minimum_functor> && is_word_v<T>) {
    atomicMin(target, Atomic(value));
  } else {
    swap_until_combined<Functor, T>(element, value);
  }
}

// Combines values with the elements of the array (an action: see Gather in indexed.cuh).
template <template <class> class Functor, class T>
struct Combine {
  using word = stored_t<T>;
  static constexpr bool kReadsArray = false;
  __device__ static void apply(word* element, word* value) {
    combine_at<Functor, T>(element, *value);
  }
  __device__ static void leave_out(word*) {}
};

}  // namespace gpuarray
