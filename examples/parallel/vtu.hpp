/* Files of points for ParaView: FOLDER/NAME.RANK.vtu with the points of a process, and an index FOLDER/NAME.pvtu. */
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

/* A value or a vector for each point. */
struct vtu_field {
  std::string name;
  int components;
  std::vector<float> values;
};

/* The description of an array; its values are offset bytes after the beginning of the data, if it is not negative. */
inline std::string vtu_array (const vtu_field &field, long offset)
{
  std::string place = offset < 0 ? "" : " format=\"appended\" offset=\"" + std::to_string (offset) + "\"";
  std::string kind = offset < 0 ? "PDataArray" : "DataArray";
  return "<" + kind + " type=\"Float32\" Name=\"" + field.name + "\" NumberOfComponents=\"" + std::to_string (field.components) + "\"" + place + "/>\n";
}

inline std::string vtu_head (const std::string &type)
{
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"" + type + "\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<" + type;
}

/* fields[0] has the places of the points. The processor stores numbers with the least byte first. */
inline void write_vtu (const std::string &path, const std::vector<vtu_field> &fields)
{
  std::ofstream file (path, std::ios::binary);
  long offset = 0;
  std::string data, points;
  for (const vtu_field &field : fields) {
    (&field == &fields[0] ? points : data) += vtu_array (field, offset);
    offset += static_cast<long> (sizeof (std::uint64_t) + sizeof (float) * field.values.size ());
  }
  file << vtu_head ("UnstructuredGrid") << ">\n<Piece NumberOfPoints=\"" << fields[0].values.size () / 3 << "\" NumberOfCells=\"0\">\n"
       << "<PointData>\n" << data << "</PointData>\n<Points>\n" << points << "</Points>\n<Cells>\n"
       << "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\"/>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\"/>\n"
       << "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\"/>\n</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
  for (const vtu_field &field : fields) {
    std::uint64_t bytes = sizeof (float) * field.values.size ();
    file.write (reinterpret_cast<const char *> (&bytes), sizeof bytes);
    file.write (reinterpret_cast<const char *> (field.values.data ()), static_cast<std::streamsize> (bytes));
  }
  file << "\n</AppendedData>\n</VTKFile>\n";
  if (!file.flush ()) throw std::runtime_error (path + ": it cannot be written");
}

/* The index of the files of all processes. */
inline void write_pvtu (const std::string &folder, const std::string &name, const std::vector<vtu_field> &fields, int processes)
{
  std::string path = folder + "/" + name + ".pvtu", data;
  std::ofstream file (path);
  for (std::size_t k = 1; k < fields.size (); k ++) data += vtu_array (fields[k], -1);
  file << vtu_head ("PUnstructuredGrid") << " GhostLevel=\"0\">\n<PPointData>\n" << data << "</PPointData>\n<PPoints>\n"
       << vtu_array (fields[0], -1) << "</PPoints>\n";
  for (int rank = 0; rank < processes; rank ++) file << "<Piece Source=\"" << name << "." << rank << ".vtu\"/>\n";
  file << "</PUnstructuredGrid>\n</VTKFile>\n";
  if (!file.flush ()) throw std::runtime_error (path + ": it cannot be written");
}
